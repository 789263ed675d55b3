import { z } from 'zod';
import { terminalSequences } from '../support/terminal-sequence.ts';
import { rungNames, urgencies } from './rung.ts';

/** No sound, the desktop's own, or one of its sounds by name. It goes into an option: words only. */
const sound = z.union([z.boolean(), z.string().regex(/^[A-Za-z0-9][\w. -]*$/)]);

const seconds = z.int().min(0).max(86_400);

export const desktopOptions = z.strictObject({
  sound: z
    .union([
      z.boolean(),
      z.strictObject({
        info: sound.optional(),
        warning: sound.optional(),
        critical: sound.optional(),
      }),
    ])
    .default(true)
    .describe(
      'true: a sound when somebody has to act or something failed, none otherwise. false: never. ' +
        'Or by severity: true, false or the name of a sound of the desktop',
    ),
  urgency: z
    .strictObject({
      info: z.enum(urgencies).optional(),
      warning: z.enum(urgencies).optional(),
      critical: z.enum(urgencies).optional(),
    })
    .default({})
    .describe(
      'Urgency by severity. By default questions and failures are critical, finished turns normal, all else low',
    ),
  expire_seconds: z
    .strictObject({
      info: seconds.optional(),
      warning: seconds.optional(),
      critical: seconds.optional(),
    })
    .default({})
    .describe(
      'Seconds after which the pop-up closes by itself, by severity; 0: never. By default the desktop decides',
    ),
  click: z
    .enum(['focus', 'acknowledge'])
    .default('focus')
    .describe(
      'What a click on the pop-up does besides saying "seen", where the desktop tells of it: focus: brings the terminal of the ' +
        'session forward, with its tab and tmux pane; acknowledge: nothing',
    ),
  rung: z
    .enum(rungNames)
    .optional()
    .describe('Use this way to show pop-ups and no other, instead of the best that works'),
  terminal: z
    .union([z.boolean(), z.enum(terminalSequences)])
    .default(true)
    .describe(
      "Where no pop-up can be shown, write to the session's terminal: true (by the name of the terminal) or osc9, osc777, osc99, bell; false: do not",
    ),
});
export type DesktopOptions = z.output<typeof desktopOptions>;

import { z } from 'zod';

import { TEST_STANDS_MS } from '../../core/hand-made.ts';
import { isWaiting, kinds } from '../../core/hook-event.ts';
import { briefBody, type Notification, toneColours, toneOf } from '../../core/notification.ts';
import { cutText, displayLine, displayText } from '../../text/sanitize.ts';
import { groupName, terminalSequences } from '../support/notify-terminal.ts';
import { type PopUp, backendNames, urgencies, type Urgency } from './backend.ts';
import { popUpDecision } from './decision.ts';

/** No sound, the desktop's default, or one of its sounds by name. It goes into an option: words only. */
const sound = z.union([z.boolean(), z.string().regex(/^[A-Za-z0-9][\w. -]*$/)]);

function bySeverity<Schema extends z.ZodType>(schema: Schema) {
  const value = schema.optional();
  return z.strictObject({ info: value, warning: value, critical: value });
}

export const desktopOptions = z.strictObject({
  sound: z
    .union([z.boolean(), bySeverity(sound)])
    .default(true)
    .describe(
      'true: a sound when you have to act or something failed. false: never. ' +
        'Or by severity: true, false or the name of a sound of the desktop',
    ),
  sounds: z
    .partialRecord(z.enum(kinds), z.string().min(1).max(500))
    .default({})
    .describe(
      'A sound for each kind of event, instead of "sound": the name of one of the system, such as "bell", or a file, whose path ' +
        'starts at the configuration file',
    ),
  urgency: bySeverity(z.enum(urgencies))
    .default({})
    .describe(
      'Urgency by severity (default: questions and failures critical, finished turns normal, all others low)',
    ),
  expire_seconds: bySeverity(z.int().min(0).max(86_400))
    .default({})
    .describe(
      'Seconds after which the pop-up closes automatically, by severity; 0: never (default: the desktop decides)',
    ),
  click: z
    .enum(['focus', 'acknowledge'])
    .default('focus')
    .describe(
      'Action of a click on the pop-up besides acknowledging, where the desktop reports it: focus: brings the terminal of the ' +
        'session forward, with its tab and tmux pane; acknowledge: nothing',
    ),
  when_disturbed: z
    .enum(['next_step', 'hold', 'show'])
    .default('next_step')
    .describe(
      'While the desktop would hide a pop-up ("do not disturb"): next_step: the next step of the plan is due, and the pop-up is ' +
        'shown once the mode is over, if it is still needed; hold: only the latter; show: the pop-up is sent nevertheless',
    ),
  backend: z
    .enum(backendNames)
    .optional()
    .describe('Use only this backend, instead of the best one that works'),
  terminal: z
    .union([z.boolean(), z.enum(terminalSequences)])
    .default(true)
    .describe(
      "If no notification can be shown, write to the session's terminal: true (by the name of the terminal) or osc9, osc777, osc99, bell; false: do not",
    ),
});
export type DesktopOptions = z.output<typeof desktopOptions>;

const MAX_TITLE = 120;
const MAX_BODY = 600;

/** The appearance of a notification on the desktop. */
export function popUpOf(notification: Notification, options: DesktopOptions): PopUp {
  const { severity } = notification;
  const expireSeconds = options.expire_seconds[severity];
  const tone = toneOf(notification);
  // No one has to react to a test, so it does not stay.
  const isTest = tone === 'test';
  const { agent, facts, at } = notification;
  const location = { agent, facts, at };
  const { decidable, replyLink } = notification;
  const decision = decidable === undefined ? null : popUpDecision(decidable);
  return {
    reaction: {
      deliveryId: notification.deliveryId,
      type: 'acknowledged',
      opens: options.click === 'focus' ? location : null,
    },
    // Without buttons that decide, typed text would be taken for words to the session.
    replyUrl: replyLink?.decides === true && decision === null ? null : (replyLink?.url ?? null),
    decision,
    // An empty title makes notify-send fail, and a text of only control characters is empty once cleaned.
    title: cutText(displayLine(notification.title), MAX_TITLE) || 'hookbell',
    body:
      decision?.body ??
      cutText(displayText(briefBody(notification.kind, notification.body)), MAX_BODY),
    urgency: notification.quietly ? 'low' : (options.urgency[severity] ?? urgencyOf(notification)),
    colour: toneColours[tone],
    expireMs: expireSeconds === undefined ? null : expireSeconds * 1_000,
    ...(isTest && { urgency: 'normal', expireMs: TEST_STANDS_MS }),
    passing: isTest,
    evenIfHidden: options.when_disturbed === 'show',
    sound: notification.quietly ? null : soundOf(notification, options),
    key: groupName(notification.groupKey),
    location,
  };
}

function urgencyOf({ kind, severity }: Notification): Urgency {
  if (severity === 'critical' || isWaiting(kind)) return 'critical';
  return kind === 'turn.done' ? 'normal' : 'low';
}

function soundOf({ kind, severity }: Notification, options: DesktopOptions): string | null {
  if (options.sounds[kind] !== undefined) return null;
  const chosen = typeof options.sound === 'boolean' ? undefined : options.sound[severity];
  if (typeof chosen === 'string') return chosen;
  const isAudible = chosen ?? (options.sound !== false && severity !== 'info');
  return isAudible ? 'default' : null;
}

/** The sound of its kind, which the channel plays itself; null: none, and the desktop may play its own. */
export function ownSoundOf({ kind, quietly }: Notification, { sounds }: DesktopOptions) {
  return quietly ? null : (sounds[kind] ?? null);
}

import { z } from 'zod';

import { routedKinds } from '../core/hook-event.ts';
import { placeholders, unknownPlaceholders } from '../text/template.ts';
import { apiSchema } from './api-schema.ts';
import { budgetSchema, digestSchema } from './report-schema.ts';
import { defaultChannels, defaultHistory } from './config.ts';
import { duration, size } from './units.ts';
import { heartbeatSchema, metricsSchema, replyPageSchema } from './endpoint-schema.ts';
import { noiseSchema, redactSchema, settleSchema } from './alert-schema.ts';
import { routeSchema, stepsSchema } from './plan-schema.ts';
import { quietHoursSchema } from './quiet-schema.ts';
import { listenSchema, relaySchema } from './relay-schema.ts';
import { didYouMean } from '../text/suggest.ts';
import { watchSchema } from './poller-schema.ts';

const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/, {
  error: 'is no name: letters, digits, "_", "-" and "." only, a letter or digit first',
});

const template = z
  .string()
  .min(1)
  .superRefine((text, context) => {
    for (const word of unknownPlaceholders(text)) {
      const hint = didYouMean(word, placeholders) || `, expected one of ${placeholders.join(', ')}`;
      context.addIssue({ code: 'custom', message: `has the unknown placeholder {${word}}${hint}` });
    }
  });

const templatesByKind = z.partialRecord(z.enum(['default', ...routedKinds]), template);

/**
 * The configuration but for the channels' own options, which their definitions know (channel-schema.ts).
 * `safeParse` it with `describeIssue`, so that messages complete the sentence that begins with the path.
 */
export const configSchema = z.strictObject({
  channels: z
    .record(name, z.looseObject({}))
    .default(defaultChannels)
    .describe('Where notifications go, by name; the inbox is always on'),
  plans: z
    .record(name, stepsSchema)
    .default({})
    .describe('Whom to tell, and after how long; "none" is built in'),
  routes: z
    .array(routeSchema)
    .exactOptional()
    .describe(
      'Which plan for which events: the first that fits. Without any, the built-in ones notify all channels',
    ),
  quiet_hours: quietHoursSchema
    .exactOptional()
    .describe('When you are not to be disturbed: one window, or a list of them'),
  noise: noiseSchema.describe('What keeps many events from becoming many rings'),
  alerts: z
    .strictObject({
      expire_after: duration({ min: '1s' })
        .prefault('12h')
        .describe('A question nobody ever answers is given up after so long'),
      settle: settleSchema,
    })
    .prefault({})
    .describe('Questions and results that stay open until you react'),
  presence: z
    .strictObject({
      when_watching: z
        .enum(['ring', 'soften', 'suppress'])
        .default('soften')
        .describe('How the first ring comes while you look at the terminal of the session'),
    })
    .prefault({})
    .describe('Whether hookbell looks where you are'),
  templates: z
    .strictObject({
      title: templatesByKind.default({}).describe('One line, by kind or "default"'),
      body: templatesByKind.default({}).describe('The text below it, by kind or "default"'),
    })
    .prefault({})
    .describe(`Texts of your own, with ${placeholders.map((word) => `{${word}}`).join(' ')}`),
  history: z
    .strictObject({
      keep: duration({ min: '1h' })
        .prefault(defaultHistory.keep)
        .describe('Older events, and older files in the quarantine, are forgotten'),
      max_size: size({ min: '1MB' })
        .prefault(defaultHistory.max_size)
        .describe('The oldest events are forgotten when the history outgrows this'),
    })
    .prefault({})
    .describe('How much hookbell remembers'),
  redact: redactSchema.describe('What becomes of secrets in the texts of agents'),
  heartbeat: heartbeatSchema
    .exactOptional()
    .describe("A dead man's switch: who listens there can tell you when the daemon falls silent"),
  ca_file: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'PEM file of certificate authorities that are trusted besides the usual ones, by everything that speaks HTTPS',
    ),
  metrics: metricsSchema
    .exactOptional()
    .describe('An endpoint for Prometheus; without it there is only "hookbell daemon metrics"'),
  listen: listenSchema
    .exactOptional()
    .describe('Takes in what paired machines relay; off where it is left out'),
  relay: relaySchema
    .exactOptional()
    .describe('Hands what happens here on to the hookbell of another machine'),
  api: apiSchema
    .exactOptional()
    .describe("The vendor's HTTP interface: titles of sessions, and the commands that ask it"),
  reply_page: replyPageSchema
    .exactOptional()
    .describe(
      'A page on this machine on which you answer agents, linked in Slack and mail; needs "api"',
    ),
  budget: budgetSchema
    .exactOptional()
    .describe('How many standard credits may be used, and what is told of it; needs "api"'),
  digest: digestSchema
    .exactOptional()
    .describe('What agents did, sent once a day or a week; needs "api"'),
  watch: watchSchema
    .exactOptional()
    .describe('What is looked at again and again at the service; each part needs "api"'),
});
export type ConfigOptions = z.output<typeof configSchema>;

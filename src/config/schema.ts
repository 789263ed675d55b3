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
  error: 'is not a name: use letters, digits, "_", "-" and ".", starting with a letter or digit',
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
 * The configuration except for the options of channel types, which their definitions validate (channel-schema.ts).
 * Call `safeParse` with `describeIssue`: its messages complete a sentence that begins with the path.
 */
export const configSchema = z.strictObject({
  channels: z
    .record(name, z.looseObject({}))
    .default(defaultChannels)
    .describe('Where notifications go, by name; the inbox is always on'),
  plans: z
    .record(name, stepsSchema)
    .default({})
    .describe('Which channels to notify, and when; "none" is built in'),
  routes: z
    .array(routeSchema)
    .exactOptional()
    .describe(
      'Which plan applies to which events: the first route that matches. If unset, built-in routes notify all channels',
    ),
  quiet_hours: quietHoursSchema
    .exactOptional()
    .describe('When not to disturb you: one window, or a list of windows'),
  noise: noiseSchema.describe('Limits on the number of notifications'),
  alerts: z
    .strictObject({
      expire_after: duration({ min: '1s' })
        .prefault('12h')
        .describe('An unanswered question expires after this long'),
      settle: settleSchema,
    })
    .prefault({})
    .describe('Questions and results that stay open until you react'),
  presence: z
    .strictObject({
      when_watching: z
        .enum(['ring', 'soften', 'suppress'])
        .default('soften')
        .describe("How to handle the first notification while the session's terminal has focus"),
    })
    .prefault({})
    .describe('What to do when you are at the terminal of a session'),
  templates: z
    .strictObject({
      title: templatesByKind.default({}).describe('Title (one line), by kind or "default"'),
      body: templatesByKind.default({}).describe('Text below the title, by kind or "default"'),
    })
    .prefault({})
    .describe(`Custom texts, with ${placeholders.map((word) => `{${word}}`).join(' ')}`),
  history: z
    .strictObject({
      keep: duration({ min: '1h' })
        .prefault(defaultHistory.keep)
        .describe('How long to keep events, and files in the quarantine'),
      max_size: size({ min: '1MB' })
        .prefault(defaultHistory.max_size)
        .describe('Largest size of the history; the oldest events are deleted first'),
    })
    .prefault({})
    .describe('How much history to keep'),
  redact: redactSchema.describe("How to handle secrets in agents' texts"),
  heartbeat: heartbeatSchema
    .exactOptional()
    .describe("A dead man's switch: a monitoring service that can alert you when the daemon stops"),
  ca_file: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'PEM file of certificate authorities to trust for all HTTPS connections, in addition to the default ones',
    ),
  metrics: metricsSchema
    .exactOptional()
    .describe(
      'Endpoint for Prometheus; if unset, only "hookbell daemon metrics" shows the metrics',
    ),
  listen: listenSchema
    .exactOptional()
    .describe('Receive events from paired machines; off if unset'),
  relay: relaySchema
    .exactOptional()
    .describe('Relay events of this machine to hookbell on another machine'),
  api: apiSchema
    .exactOptional()
    .describe("The vendor's HTTP API, for session titles and the commands that query it"),
  reply_page: replyPageSchema
    .exactOptional()
    .describe(
      'Page on this machine for answering agents, linked in Slack messages and emails; requires "api"',
    ),
  budget: budgetSchema
    .exactOptional()
    .describe('Budgets of standard credits and notifications about them; requires "api"'),
  digest: digestSchema
    .exactOptional()
    .describe('Summary of agents\' work, sent once a day or a week; requires "api"'),
  watch: watchSchema
    .exactOptional()
    .describe('What to poll at the service; each part requires "api"'),
});
export type ConfigOptions = z.output<typeof configSchema>;

/*
 * From YAML to a configuration in which every name exists, or to all of its problems with their lines. Nothing is
 * started, and no secret is read for longer than a check. What a setting does never enters.
 */
import { z } from 'zod';

import { routedKinds } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import { didYouMean } from '../text/suggest.ts';
import { placeholders, unknownPlaceholders } from '../text/template.ts';
import { commandsSchema } from './command-schema.ts';
import { alertsSchema, answersSchema, noiseSchema, redactSchema } from './alert-schema.ts';
import { apiSchema } from './api-schema.ts';
import type { ChannelConfig } from './channel-schema.ts';
import {
  heartbeatSchema,
  listenSchema,
  metricsSchema,
  pageSchema,
  relaySchema,
  replyPageSchema,
  storeSchema,
} from './endpoint-schema.ts';
import { hubSchema } from './hub-schema.ts';
import { routeSchema, stepsSchema } from './plan-schema.ts';
import { watchSchema } from './poller-schema.ts';
import { quietHoursSchema, workingHoursSchema } from './quiet-schema.ts';
import { budgetSchema, digestSchema } from './report-schema.ts';
import { duration, onOrOff, orNull, size } from './units.ts';

/** Defaults, written as in the file. */
export const defaultChannels = { desktop: { type: 'desktop' } };
export const defaultHistory = { keep: '90d', max_size: '500MB' };

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
  routes: orNull(z.array(routeSchema)).describe(
    'Which plan applies to which events: the first route that matches. If unset, built-in routes notify all channels',
  ),
  quiet_hours: quietHoursSchema
    .optional()
    .transform((windows) => windows ?? [])
    .describe('When not to disturb you: one window, or a list of windows'),
  working_hours: workingHoursSchema
    .prefault({})
    .describe('Your working hours, which "hookbell waiting" reports separately'),
  noise: noiseSchema.describe('Limits on the number of notifications'),
  alerts: alertsSchema.describe('Questions and results that stay open until you react'),
  witness: onOrOff
    .prefault('on')
    .describe(
      'Read what agents write about their running sessions, and notify of waits for which no hook ran',
    ),
  answers: answersSchema.describe(
    'Requests that wait for an answer from elsewhere, after "hookbell install --answers"',
  ),
  commands: commandsSchema.describe(
    'Commands that "hookbell run" and the code of "hookbell shell-init" notify of',
  ),
  presence: z
    .strictObject({
      when_watching: z
        .enum(['ring', 'soften', 'suppress'])
        .default('soften')
        .describe("How to handle the first notification while the session's terminal has focus"),
    })
    .prefault({})
    .transform(({ when_watching: whenWatching }) => ({ whenWatching }))
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
        .describe('Maximum size of the history; the oldest events are deleted first'),
    })
    .prefault({})
    .transform(({ keep: keepMs, max_size: maxBytes }) => ({ keepMs, maxBytes }))
    .describe('How much history to keep'),
  store: orNull(storeSchema).describe(
    'Where events and deliveries are stored; if unset, in a file that only this daemon uses',
  ),
  redact: redactSchema.describe("How to handle secrets in agents' texts"),
  heartbeat: orNull(heartbeatSchema).describe(
    "A dead man's switch: a monitoring service that can alert you when the daemon stops",
  ),
  ca_file: orNull(z.string().min(1)).describe(
    'PEM file of certificate authorities to trust for all HTTPS connections, in addition to the default ones',
  ),
  metrics: orNull(metricsSchema).describe(
    'Endpoint for Prometheus; if unset, only "hookbell daemon metrics" shows the metrics',
  ),
  listen: orNull(listenSchema).describe('Receive events from paired machines; off if unset'),
  hub: orNull(hubSchema).describe(
    'Makes this daemon a process of a team\'s hub; requires "store" and a port in "listen"',
  ),
  relay: orNull(relaySchema).describe(
    'Relay events of this machine to hookbell on another machine',
  ),
  api: orNull(apiSchema).describe(
    "The vendor's HTTP API, for session titles and the commands that query it",
  ),
  page: orNull(pageSchema).describe(
    'Page on this machine with sessions, events and channels; if unset, "hookbell open" serves it until its last browser is signed out',
  ),
  reply_page: orNull(replyPageSchema).describe(
    'Page on this machine for answering agents, linked in Slack messages and emails; requires "api"',
  ),
  budget: orNull(budgetSchema).describe(
    'Budgets of standard credits and notifications about them; requires "api"',
  ),
  digest: orNull(digestSchema).describe(
    'Summary of agents\' work, sent once a day or a week; requires "api"',
  ),
  watch: watchSchema.prefault({}).describe('What to poll at the service; each part requires "api"'),
});
export type ConfigOptions = z.output<typeof configSchema>;

/** Sections that become the policy and the channels. */
type Decided = 'channels' | 'plans' | 'routes' | 'quiet_hours' | 'noise' | 'alerts' | 'presence';

/** The validated configuration: every name it mentions exists. Sections that are unset are null, or have their defaults. */
export interface Config extends Readonly<
  Omit<ConfigOptions, Decided | 'ca_file' | 'reply_page' | 'working_hours'>
> {
  readonly path: string;
  /** False if the file is missing and the defaults are in force. */
  readonly exists: boolean;
  /** In the order of the file; always ends with the inbox. */
  readonly channels: readonly ChannelConfig[];
  readonly policy: Policy;
  readonly workingHours: ConfigOptions['working_hours'];
  /** PEM file of certificates to trust besides Node's; relative paths start at the configuration. */
  readonly caFile: ConfigOptions['ca_file'];
  /** Content of `caFile`. */
  readonly authorities: string | null;
  readonly replyPage: ConfigOptions['reply_page'];
  /** The configuration in force as in the file, with defaults filled in and plain secrets masked: for `config show`. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** Paths of plain-text secrets in the file; `doctor` warns about them. */
  readonly plainSecrets: readonly string[];
}

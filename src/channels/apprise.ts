import { z } from 'zod';

import { type Channel, type ChannelDependencies, defineChannel } from '../core/channel.ts';
import { HungPathError } from '../core/far-files.ts';
import { type Notification, toneOf } from '../core/notification.ts';
import { delivered, failed, type Outcome, retry } from '../core/outcome.ts';
import { ConfigError } from '../platform/errors.ts';
import { childEnvironment, findProgram, resolvePath } from '../platform/find-program.ts';
import type { ProgramResult } from '../platform/run-program.ts';
import { cutText } from '../text/sanitize.ts';
import { POSSIBLE_DUPLICATE, toneSigns } from './support/chat-text.ts';
import { findGiven, NO_DEADLINE_MS } from './support/run-first.ts';

const path = z
  .string()
  .min(1)
  .refine((value) => !value.includes('\0'), 'contains a NUL character');

const options = z.strictObject({
  config: path.describe(
    "An apprise configuration file with the addresses of your services, readable only by you; a relative path starts at hookbell's configuration file",
  ),
  tag: z
    .string()
    .regex(/^[\w][-\w, ]*$/, 'is not a tag: letters, digits, "_", "-", "," and blanks')
    .optional()
    .describe('Notifies only the services with this tag'),
  program: path
    .default('apprise')
    .describe('The program, by its name on PATH or a path that starts at the configuration file'),
  max_length: z
    .int()
    .min(80)
    .max(20_000)
    .default(2_000)
    .describe(
      'Maximum length of a message in characters, including the title; longer texts are truncated',
    ),
});

/**
 * Runs an installed apprise (https://github.com/caronc/apprise), which knows more than 100 services. Its addresses hold
 * secrets: they stay in a file only this user may read. The text goes to standard input, because other users can see arguments.
 */
export default defineChannel({
  type: 'apprise',
  summary: 'Runs apprise, for services without a channel type',
  audience: 'person',
  reach: 'far',
  recipient: 'apprise services',
  can: {},
  options,
  questions: { config: { message: 'apprise: configuration file, readable only by you' } },
  // The program takes a second to start, and each service may take its time.
  limits: { timeoutMs: 30_000, concurrency: 1, burst: 10, refillMs: 2_000, maxAttempts: 8 },
  create: createApprise,
});

/** Variables that apprise needs to reach the network, besides the few that every program gets. */
const NETWORK_VARIABLES = [
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'REQUESTS_CA_BUNDLE',
];

async function createApprise(
  { config, tag, program: given, max_length: maxLength }: z.output<typeof options>,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const { runProgram } = await import('../platform/run-program.ts');
  const { env, platform, files } = dependencies;
  // Looked up once, so that every notification runs the same file.
  const program = await findGiven(given, dependencies);
  const configPath = resolvePath(config, dependencies);

  async function locate(): Promise<{ readonly runnable: string } | { readonly outcome: Outcome }> {
    try {
      await files.run('secret', { path: configPath, platform });
      if (program !== null) await files.run('probe', { path: program });
    } catch (error) {
      if (error instanceof HungPathError) return { outcome: retry(error.message) };
      if (!(error instanceof ConfigError)) throw error;
      const hint = error.hint === null ? '' : ` (${error.hint})`;
      return { outcome: failed(`${error.message}${hint}`, { channelBroken: true }) };
    }
    if (program !== null && (await findProgram(program)) !== null) return { runnable: program };
    const reason = `Cannot run "${given}": it does not exist or is not executable`;
    return { outcome: failed(reason, { channelBroken: true }) };
  }

  const tagged = tag === undefined ? [] : [`--tag=${tag}`];

  function run(
    runnable: string,
    { words, input, signal }: { words: readonly string[]; input: string; signal: AbortSignal },
  ): Promise<ProgramResult> {
    return runProgram({
      program: runnable,
      arguments: [`--config=${configPath}`, ...tagged, ...words],
      // Without it, Python reads standard input in the encoding of the daemon's locale.
      env: { ...childEnvironment(platform, env), ...networkOf(env), PYTHONUTF8: '1' },
      input,
      timeoutMs: NO_DEADLINE_MS,
      signal,
    });
  }

  return {
    async send(notification, { signal }) {
      const found = await locate();
      if ('outcome' in found) return found.outcome;
      const words = ['--input-format=text', `--notification-type=${typeOf(notification)}`];
      const input = textOf(notification, maxLength);
      return outcomeOf(await run(found.runnable, { words, input, signal }));
    },

    async check(signal) {
      const found = await locate();
      if ('outcome' in found) {
        const { outcome } = found;
        const summary = outcome.type === 'delivered' ? '' : outcome.reason;
        return { ok: false, summary, hint: 'Install apprise, or correct "program" and "config"' };
      }
      const result = await run(found.runnable, { words: ['--dry-run'], input: '', signal });
      if (result.ok) return { ok: true, summary: `Runs "${found.runnable}"` };
      const hint = `Run: apprise --dry-run --config "${configPath}"`;
      return { ok: false, summary: `apprise finds no service in "${configPath}"`, hint };
    },

    close: () => Promise.resolve(),
  };
}

function networkOf(env: ChannelDependencies['env']): Record<string, string> {
  const names = NETWORK_VARIABLES.flatMap((name) => [name, name.toLowerCase()]);
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

/** Title and body in one: a title could be passed as an argument only, which other users can see. */
function textOf(notification: Notification, maxLength: number): string {
  const { title, body, possibleDuplicate } = notification;
  const remark = possibleDuplicate ? `\n${POSSIBLE_DUPLICATE}` : '';
  const text = `${toneSigns[toneOf(notification)]} ${title}\n${body}`.toWellFormed();
  return `${cutText(text, maxLength - remark.length)}${remark}`;
}

function typeOf(notification: Notification): 'failure' | 'warning' | 'success' | 'info' {
  if (notification.severity === 'critical') return 'failure';
  if (notification.severity === 'warning') return 'warning';
  return toneOf(notification) === 'done' ? 'success' : 'info';
}

/** Code 1 means that at least one service failed, so the others may have it; 2 and 3 are about the options. */
function outcomeOf(result: ProgramResult): Outcome {
  if (result.ok) return delivered();
  const reason = `apprise ${result.reason}`;
  if (result.code === 2 || result.code === 3) {
    const cause = result.code === 3 ? 'no service has the tag' : 'it does not accept its options';
    return failed(`${reason}: ${cause}`, { channelBroken: true });
  }
  return retry(reason, result.started ? { possibleDuplicate: true } : {});
}

import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

import { z } from 'zod';

import { type Channel, type ChannelDependencies, defineChannel } from '../core/channel.ts';
import { HungPathError } from '../core/far-files.ts';
import { delivered, failed, type Outcome, retry } from '../core/outcome.ts';
import { childEnvironment, findProgram, resolvePath } from '../platform/find-program.ts';
import { notificationDocument } from './support/notification-document.ts';
import { findGiven, NO_DEADLINE_MS } from './support/run-first.ts';
import type { ProgramResult } from '../platform/run-program.ts';

const text = z.string().refine((value) => !value.includes('\0'), 'contains a NUL character');

const options = z.strictObject({
  command: z
    .array(text)
    .min(1)
    .refine(([program]) => program !== '', 'does not name a program')
    .describe(
      'The program and its arguments, run verbatim without a shell; a program with a slash is a path that starts at the configuration file',
    ),
  env: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/, 'is not a variable name'), text)
    .default({})
    .describe('Variables added to the few the program gets (PATH, HOME, LANG, the desktop)'),
  cwd: text
    .min(1)
    .optional()
    .describe('Working directory (default: the directory of the configuration file)'),
});

/**
 * Runs the user's program and writes the notification, one JSON document (`NotificationDocument`), to its standard
 * input. Exit code 0 means delivered. The codes of sysexits.h (64 to 78) mean a permanent failure, except 75, "try
 * again later"; any other end is retried too. No part of a notification becomes an argument or a variable.
 */
export default defineChannel({
  type: 'command',
  summary: 'Runs a program and gives it the notification as JSON on its standard input',
  audience: 'program',
  reach: 'far',
  recipient: 'your command',
  can: {},
  options,
  questions: {
    command: {
      message: 'Command: program and arguments, separated by commas',
      placeholder: '/home/me/bin/ring',
    },
  },
  limits: { timeoutMs: 10_000, concurrency: 2, burst: 20, refillMs: 50, maxAttempts: 5 },
  create: createCommand,
});

async function createCommand(
  { command, env: added, cwd: configuredCwd = '.' }: z.output<typeof options>,
  dependencies: ChannelDependencies,
): Promise<Channel> {
  const { runProgram } = await import('../platform/run-program.ts');
  const [given = '', ...arguments_] = command;
  const name = basename(given);
  const cwd = resolvePath(configuredCwd, dependencies);
  // Looked up once, so that every notification runs the same file.
  const program = await findGiven(given, dependencies);

  /** Starting a program on a file system that does not respond would block the whole daemon. */
  async function hungPath(): Promise<HungPathError | null> {
    for (const path of [program ?? cwd, cwd]) {
      try {
        await dependencies.files.run('probe', { path });
      } catch (error) {
        if (error instanceof HungPathError) return error;
      }
    }
    return null;
  }

  async function look(): Promise<{ readonly runnable: string } | { readonly trouble: string }> {
    if (program === null || (await findProgram(program)) === null) {
      return { trouble: `Cannot run "${given}": it does not exist or is not executable` };
    }
    const stats = await stat(cwd).catch(() => null);
    if (stats?.isDirectory() === true) return { runnable: program };
    return { trouble: `Cannot run "${given}": its directory "${cwd}" does not exist` };
  }

  return {
    send: async (notification, { signal }) => {
      const hung = await hungPath();
      if (hung !== null) return retry(hung.message);
      const found = await look();
      if ('trouble' in found) return failed(found.trouble, { channelBroken: true });
      const result = await runProgram({
        program: found.runnable,
        arguments: arguments_,
        env: { ...childEnvironment(dependencies.platform, dependencies.env), ...added },
        cwd,
        input: `${JSON.stringify(notificationDocument(notification))}\n`,
        timeoutMs: NO_DEADLINE_MS,
        signal,
      });
      return outcomeOf(result, name);
    },
    check: async () => {
      const hung = await hungPath();
      if (hung !== null) return { ok: false, summary: hung.message };
      const found = await look();
      if ('runnable' in found) return { ok: true, summary: `Runs "${found.runnable}"` };
      const hint = 'Correct "command" or "cwd" of the channel';
      return { ok: false, summary: found.trouble, hint };
    },
    close: () => Promise.resolve(),
  };
}

const sysexits = { usage: 64, temporary: 75, config: 78 };

function outcomeOf(result: ProgramResult, name: string): Outcome {
  if (result.ok) return delivered();
  const reason = `"${name}" ${result.reason}`;
  const { code } = result;
  const isCode = code !== null && code >= sysexits.usage && code <= sysexits.config;
  if (isCode && code !== sysexits.temporary) return failed(reason);
  // A stopped program may have finished its work before.
  return retry(reason, result.started && code === null ? { possibleDuplicate: true } : {});
}

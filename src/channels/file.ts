import { constants, type Stats } from 'node:fs';
import { access, type FileHandle, lstat, open, readlink, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

import { z } from 'zod';

import { type ChannelCheck, defineChannel } from '../core/channel.ts';
import { HungPathError } from '../core/far-files.ts';
import type { Notification } from '../core/notification.ts';
import { delivered, type Outcome, retry } from '../core/outcome.ts';
import { errorCode } from '../platform/errors.ts';
import { whyNotOurs } from '../platform/ownership.ts';
import { resolvePath } from '../platform/find-program.ts';
import { makePrivateDirectory } from '../platform/private-directory.ts';
import { pause, systemTimer } from '../platform/time.ts';

const options = z.strictObject({
  path: z
    .string()
    .min(1)
    .refine((path) => !path.includes('\0'), 'contains a NUL character')
    .describe('The file, relative to the configuration file or, with "~/", to the home directory'),
  mode: z
    .string()
    .regex(/^0?[0-7]{3}$/, 'is not an octal mode such as "0600"')
    .default('0600')
    .describe('Permissions of the file when it is created, octal and in quotes'),
});

/**
 * Appends one JSON document a line, with exactly these keys: `at` (ISO 8601, UTC), `channel` (its name in the
 * configuration), `eventId`, `kind`, `severity`, `sessionId`, `project`, `title`, `body`, `possibleDuplicate`.
 */
export default defineChannel({
  type: 'file',
  summary: 'Appends every notification as one line of JSON to a file',
  audience: 'program',
  reach: 'record',
  recipient: 'the file',
  can: {},
  options,
  questions: {
    path: {
      message: 'File: path of the file to append to',
      initial: '~/.local/state/hookbell/notifications.jsonl',
    },
  },
  limits: {
    timeoutMs: 5_000,
    concurrency: 256,
    burst: 1_000,
    refillMs: 0,
    maxAttempts: 20,
    batch: 256,
    pipelined: true,
  },
  create: ({ path: configured, mode }, dependencies) => {
    const path = resolvePath(configured, dependencies);
    const appendInTurn = createAppender(path, async (lines) => {
      try {
        const asked = { path, lines, mode: Number.parseInt(mode, 8) };
        return await dependencies.files.run('appendLines', asked);
      } catch (error) {
        const isHung = error instanceof HungPathError;
        const reason = isHung ? error.message : `Cannot append to "${path}": ${codeOf(error)}`;
        // A started write may still reach the file when it responds again.
        const details = isHung && error.isUntouched ? {} : { possibleDuplicate: true };
        return lines.map(() => retry(reason, details));
      }
    });
    return Promise.resolve({
      send: (notification) => appendInTurn(lineOf(notification, dependencies.name)),
      check: async () => {
        try {
          return await dependencies.files.run('checkAppend', { path });
        } catch (error) {
          if (!(error instanceof HungPathError)) throw error;
          const hint = error.hint === null ? {} : { hint: error.hint };
          return { ok: false, summary: error.message, ...hint };
        }
      },
      close: () => Promise.resolve(),
    });
  },
});

function lineOf(notification: Notification, channel: string): string {
  const { at, eventId, kind, severity, sessionId, project, title, body, possibleDuplicate } =
    notification;
  const source = { at: new Date(at).toISOString(), channel, eventId, kind, severity };
  const fields = { ...source, sessionId, project, title, body, possibleDuplicate };
  return `${JSON.stringify(fields)}\n`;
}

// Without O_NONBLOCK opening a FIFO would wait for a reader; O_NOFOLLOW (which Windows lacks) keeps a link planted in a
// shared directory from redirecting the notifications.
const APPEND =
  constants.O_APPEND | constants.O_RDWR | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/** The maximum of one write, characters. */
const MOST_CHARACTERS = 1024 * 1024;

/** Lines that arrive during a write share the next one and its sync; after a failed line the next ones fail too. Never rejects. */
function createAppender(
  path: string,
  write: (lines: readonly string[]) => Promise<readonly Outcome[]>,
): (line: string) => Promise<Outcome> {
  const waiting: { readonly line: string; readonly answer: (outcome: Outcome) => void }[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      let length = 0;
      const end = waiting.findIndex(({ line }) => (length += line.length) > MOST_CHARACTERS);
      const group = waiting.splice(0, end === -1 ? waiting.length : Math.max(1, end));
      const outcomes = await write(group.map(({ line }) => line));
      const hasFailed = outcomes.some(({ type }) => type !== 'delivered');
      const behind = hasFailed ? waiting.splice(0) : [];
      const reason = `Cannot append to "${path}": an earlier line failed`;
      for (const [index, { answer }] of group.entries()) answer(outcomes[index] ?? retry(reason));
      for (const { answer } of behind) answer(retry(reason));
    }
    isRunning = false;
  }

  return (line) =>
    new Promise((answer) => {
      waiting.push({ line, answer });
      // Lines from the same turn are included.
      queueMicrotask(() => void (isRunning ? undefined : run()));
    });
}

/** Appends lines to a file, created if missing; returns an outcome for each. Never rejects. */
export async function appendLines({
  path,
  lines,
  mode,
}: {
  readonly path: string;
  readonly lines: readonly string[];
  readonly mode: number;
}): Promise<readonly Outcome[]> {
  const bytes = lines.map((line) => Buffer.from(line));
  try {
    return await append(path, bytes, mode);
  } catch (error) {
    return lines.map(() => outcomeOf(error, path));
  }
}

async function append(
  path: string,
  lines: readonly Buffer[],
  mode: number,
): Promise<readonly Outcome[]> {
  await makePrivateDirectory(dirname(path));
  const refuse = (why: string) => lines.map(() => retry(`Cannot append to "${path}": ${why}`));
  const stranger = await whyForeign(path);
  if (stranger !== null) return refuse(stranger);
  const file = await openToAppend(path, mode);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return refuse(`it is ${nameOf(stats)}`);

    // A crash or a full disk may have left half a line: end it, so that it does not spoil the next one.
    const start = Buffer.from((await endsInsideLine(file)) ? '\n' : '');
    // One write, so that lines of several writers never mix (O_APPEND places it atomically).
    const { bytesWritten } = await file.write(Buffer.concat([start, ...lines]));
    // Some file systems report a full quota only when the data leaves the cache.
    const trouble = await file.datasync().catch(codeOf);
    const synced =
      trouble === undefined
        ? delivered()
        : retry(`Cannot append to "${path}": ${trouble}`, { possibleDuplicate: true });
    let end = start.length;
    return lines.map((line) => {
      end += line.length;
      return end <= bytesWritten ? synced : retry(`Cannot append to "${path}": no space left`);
    });
  } finally {
    await file.close();
  }
}

/** Another user who can write on its path could read or redirect the notifications. A link is refused when it is opened. */
function whyForeign(path: string): Promise<string | null> {
  const view = { uid: process.geteuid?.(), lstat: (place: string) => lstat(place), readlink };
  return whyNotOurs(path, 'any', view, { allowMissing: true, allowOpen: true });
}

async function openToAppend(path: string, mode: number): Promise<FileHandle> {
  try {
    const file = await open(path, APPEND | constants.O_CREAT | constants.O_EXCL, mode);
    // The daemon's umask removes permissions that the configuration grants. A file system without modes refuses, which
    // is fine.
    await file.chmod(mode).catch(() => {});
    return file;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return open(path, APPEND);
  }
}

async function endsInsideLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  const { buffer } = await file.read(Buffer.alloc(1, '\n'), 0, 1, Math.max(0, size - 1));
  if (buffer[0] === 0x0a) return false;
  await pause(20, systemTimer);
  return (await file.stat()).size === size || endsInsideLine(file);
}

/** Path problems that last until a person acts; the message is not the cause. */
const permanent: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'the operation is not permitted',
  EROFS: 'the file system is read-only',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a symbolic link',
  ENOTDIR: 'a part of the path is not a directory',
  EEXIST: 'a part of the path is not a directory',
  ENAMETOOLONG: 'the path is too long',
  ENXIO: 'it is a socket or a device',
};

function outcomeOf(error: unknown, path: string): Outcome {
  const code = codeOf(error);
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const reason = permanent[code] ?? (isFull ? 'no space left' : code);
  return retry(`Cannot append to "${path}": ${reason}`);
}

function codeOf(error: unknown): string {
  return errorCode(error) ?? 'unknown error';
}

/** Whether lines could be appended to a file. Never rejects. */
export async function checkAppend({ path }: { readonly path: string }): Promise<ChannelCheck> {
  const hint = 'Set "path" to a regular file in a directory that you can write to';
  try {
    const stats = await lstat(path);
    if (!stats.isFile()) return { ok: false, summary: `"${path}" is ${nameOf(stats)}`, hint };
    await access(path, constants.R_OK | constants.W_OK);
    const stranger = await whyForeign(path);
    if (stranger === null) return { ok: true, summary: `Appends to "${path}"` };
    return { ok: false, summary: `Cannot append to "${path}": ${stranger}`, hint };
  } catch (error) {
    const reason = permanent[errorCode(error) ?? ''];
    const summary = `Cannot append to "${path}": ${reason}`;
    if (reason !== undefined) return { ok: false, summary, hint };
  }
  if (await canCreateIn(dirname(path))) return { ok: true, summary: `Will create "${path}"` };
  return { ok: false, summary: `Cannot create "${path}"`, hint };
}

async function canCreateIn(directory: string): Promise<boolean> {
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    return (await stat(directory)).isDirectory();
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT';
    return missing && directory !== dirname(directory) && (await canCreateIn(dirname(directory)));
  }
}

function nameOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory';
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isFIFO()) return 'a pipe';
  return 'not a regular file';
}

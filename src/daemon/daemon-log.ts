import { existsSync, lstatSync, renameSync, statSync } from 'node:fs';

import { pino } from 'pino';

import { renameOver } from '../platform/replace-file.ts';
import type { Log } from '../platform/log.ts';
import { redactText } from '../text/redact.ts';

const MAX_BYTES = 5 * 1024 * 1024;
const KEPT = 3;
const MAX_TEXT = 2_000;
/** Buffered in memory while the log cannot be written; further lines are dropped. */
const MAX_UNWRITTEN_BYTES = 256 * 1024;

export interface FileLog extends Log {
  /** Rotates a log over 5 MB (`.1` … `.3`) and continues in a new file; no earlier one moves while Windows keeps it in its place. */
  rotateIfLarge(): void;
  close(): void;
}

/**
 * The daemon's log: JSON lines, one entry per line, file mode 0600. Every string is redacted and cut, because error
 * texts may hold text of an agent or a remote service.
 *
 * @param options.echo also to standard error, for a daemon in the foreground
 */
export function openLog({
  path,
  echo = false,
}: {
  readonly path: string;
  readonly echo?: boolean;
}): FileLog {
  setAsideUnlessFile(path);
  const file = pino.destination({
    dest: path,
    sync: true,
    mode: 0o600,
    mkdir: false,
    maxLength: MAX_UNWRITTEN_BYTES,
  });
  // A full disk must not end the daemon because it cannot log it: lines are buffered until there is room.
  file.on('error', () => {});
  const streams = pino.multistream([file, ...(echo ? [process.stderr] : [])]);
  const logger = pino(
    {
      level: 'info',
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: cleanFields },
      serializers: { err: describeError },
    },
    streams,
  );

  return {
    debug: (fields, sentence) => logger.debug(fields, sentence),
    info: (fields, sentence) => logger.info(fields, sentence),
    warn: (fields, sentence) => logger.warn(fields, sentence),
    error: (fields, sentence) => logger.error(fields, sentence),
    rotateIfLarge() {
      if (!existsSync(path) || statSync(path).size < MAX_BYTES) return;
      try {
        renameSync(path, `${path}.0`);
        file.reopen(path);
        for (let number = KEPT; number >= 1; number -= 1) {
          const from = `${path}.${number - 1}`;
          if (existsSync(from)) renameOver(from, `${path}.${number}`);
        }
      } catch (error) {
        logger.warn({ err: describeError(error) }, 'Cannot rotate the log; it grows until then');
      }
    },
    close() {
      // An abandoned send may end, and log its result, after the daemon has released everything.
      logger.level = 'silent';
      try {
        file.flushSync();
      } finally {
        file.end();
      }
    },
  };
}

/** A planted link would be followed, and a FIFO would block: anything but a regular file is moved away. */
function setAsideUnlessFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  renameSync(path, `${path}.set-aside-${process.pid}`);
}

function cleanFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? cleanText(value) : value,
    ]),
  );
}

/** Name, message, code and the top of the stack: never the whole object, which may hold arguments and responses. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return cleanText(String(error));
  return {
    name: error.name,
    message: cleanText(error.message),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    stack: cleanText((error.stack ?? '').split('\n').slice(1, 6).join('\n')),
  };
}

function cleanText(text: string): string {
  return redactText(text.slice(0, MAX_TEXT));
}

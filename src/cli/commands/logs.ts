import { type FileHandle, open } from 'node:fs/promises';

import { pause, systemTimer } from '../../platform/time.ts';
import { errorCode, NotFoundError } from '../../platform/errors.ts';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../platform/json.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandContext, DefineCommand } from '../context.ts';
import { readLimit, readWord } from '../option-values.ts';
import type { Output } from '../output.ts';
import { localTimeText } from '../time-text.ts';
import { withInterrupt } from '../refresh-loop.ts';

/** In ascending severity. */
const levels = ['debug', 'info', 'warn', 'error'] as const;
type Level = (typeof levels)[number];

interface Options {
  readonly lines: number;
  readonly follow?: boolean;
  readonly level?: Level;
}

/** Poll interval of a followed log, ms: a file watch would miss the file that replaces it. */
const LOOK_MS = 200;

/** `hookbell logs`: prints the daemon's log, even if the daemon is not running. */
export const defineLogs: DefineCommand = (program, run) => {
  program
    .command('logs')
    .description("print the daemon's log")
    .option('-n, --lines <n>', 'print the last n entries', readLimit, 50)
    .option('-f, --follow', 'print new entries as they are written')
    .option('--level <level>', `at least this severe: ${levels.join(', ')}`, readWord(levels))
    .action(run(printLog));
};

async function printLog(context: CommandContext, options: Options): Promise<void> {
  const { output, json, paths } = context;
  const isShown = (line: string): boolean => isAtLeast(parseJsonObject(line), options.level);
  const show = (line: string): void => {
    const entry = parseJsonObject(line);
    if (json && entry !== null) output.jsonLine(entry);
    else output.line(entry === null ? displayLine(line) : entryText(output, entry, Date.now()));
  };
  const reader = logReader(paths.log);
  const earlier = await reader.next();
  if (earlier === null) {
    throw new NotFoundError(`Log "${paths.log}" does not exist`, {
      hint: 'The daemon creates it: run "hookbell start"',
    });
  }
  for (const line of earlier.filter(isShown).slice(-options.lines)) show(line);
  if (options.follow !== true) return reader.close();
  await withInterrupt(async (interrupted) => {
    while (!interrupted.aborted) {
      await pause(LOOK_MS, systemTimer, interrupted);
      for (const line of ((await reader.next()) ?? []).filter(isShown)) show(line);
    }
  });
  await reader.close();
}

/** Reads a growing file, and the one that replaces it when the daemon rotates the log. */
function logReader(path: string) {
  let file: FileHandle | null = null;
  let offset = 0;

  async function readOn(handle: FileHandle): Promise<readonly string[]> {
    const { size } = await handle.stat();
    if (size <= offset) return [];
    const { buffer, bytesRead } = await handle.read({
      buffer: Buffer.alloc(size - offset),
      position: offset,
    });
    // The last character may be incomplete: the text after the last line end is read again.
    const whole = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
    offset += whole;
    return buffer.toString('utf8', 0, whole).split('\n').slice(0, -1);
  }

  return {
    /** The complete lines written after the last call; null while the file does not exist. */
    async next(): Promise<readonly string[] | null> {
      const lines = file === null ? [] : [...(await readOn(file))];
      const newest = await openIfThere(path);
      if (newest === null) return file === null ? null : lines;
      const isSame = file !== null && (await sameFile(file, newest));
      if (isSame) {
        await newest.close();
        return lines;
      }
      await file?.close();
      file = newest;
      offset = 0;
      return [...lines, ...(await readOn(newest))];
    },
    close: async () => file?.close(),
  };
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

async function sameFile(one: FileHandle, other: FileHandle): Promise<boolean> {
  const [a, b] = await Promise.all([one.stat(), other.stat()]);
  return a.ino === b.ino && a.dev === b.dev;
}

/** A line that cannot be parsed has no known level, so it is shown. */
function isAtLeast(entry: JsonObject | null, wanted: Level = 'debug'): boolean {
  const level = levels.findIndex((one) => one === entry?.['level']);
  return level < 0 || level >= levels.indexOf(wanted);
}

const colours = { debug: 'dim', info: 'cyan', warn: 'yellow', error: 'red' } as const;

/** "10:00:07 warn  Cannot reach the channel channel=team reason=timeout" */
function entryText(output: Output, entry: JsonObject, now: number): string {
  const { time, level: name, msg, pid: _pid, ...fields } = entry;
  const level = levels.find((one) => one === name) ?? 'info';
  const at = typeof time === 'string' ? localTimeText(time, now) : '-';
  const details = Object.entries(fields).map(([key, value]) => `${key}=${fieldText(value)}`);
  const text = displayLine(
    [typeof msg === 'string' ? msg : '', details.join(' ')].filter(Boolean).join(' '),
  );
  return `${displayLine(at)} ${output.paint(colours[level], level.padEnd(5))} ${text}`;
}

function fieldText(value: unknown): string {
  const message = isJsonObject(value) ? value['message'] : value;
  if (typeof message !== 'string') return JSON.stringify(value);
  const text = displayLine(message);
  return /^[\w./:@-]+$/.test(text) ? text : JSON.stringify(text);
}

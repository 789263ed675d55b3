import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import { errorCode } from './errors.ts';

/** Clock ticks per second in /proc, on every system Linux runs on: proc_pid_stat(5), USER_HZ. */
const TICKS = 100;

/** A process as Linux reports it. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** Its controlling terminal, such as "/dev/pts/3"; null without one. */
  readonly terminal: string | null;
  /** Whether it is in the foreground of that terminal, so that its keys go to it. */
  readonly isForeground: boolean;
  /** When it started, in clock ticks since the boot. */
  readonly start: string;
  /** How long it has run, ms, to within 10 ms. */
  readonly ageMs: number;
}

/** Null if the process does not exist, or without /proc. */
async function processEntry(pid: number, proc = '/proc'): Promise<ProcessEntry | null> {
  try {
    const [stat, uptime] = await Promise.all([
      readFile(`${proc}/${pid}/stat`, 'utf8'),
      readFile(`${proc}/uptime`, 'utf8'),
    ]);
    const fields = fieldsOf(stat);
    const seconds = Number(uptime.split(' ')[0]) - Number(fields[19]) / TICKS;
    return {
      pid,
      parent: Number(fields[1]),
      terminal: terminalBy(Number(fields[4])),
      isForeground: fields[2] === fields[5],
      start: fields[19] ?? '',
      ageMs: seconds * 1_000,
    };
  } catch {
    return null;
  }
}

/** Nearest first, without process 1. Empty if it is younger than this: its number was reused. */
export async function processLine(
  pid: number,
  leastAgeMs = 0,
  proc = '/proc',
): Promise<readonly ProcessEntry[]> {
  const line: ProcessEntry[] = [];
  let next = pid;
  // The limit ends a loop caused by a process that changed while it was read.
  while (next > 1 && line.length < 32) {
    const entry = await processEntry(next, proc);
    if (entry === null) break;
    // The clock of the event may differ a little from that of the processes. A container may see the time since its own
    // start and that of its processes since the machine's: then their age is unknown.
    const isYounger = entry.ageMs >= 0 && entry.ageMs < leastAgeMs - 1_000;
    if (line.length === 0 && isYounger) break;
    line.push(entry);
    next = entry.parent;
  }
  return line;
}

/** Numbers of devices: https://www.kernel.org/doc/html/latest/admin-guide/devices.html */
function terminalBy(device: number): string | null {
  const major = (device >> 8) & 0xfff;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  if (major >= 136 && major <= 143) return `/dev/pts/${(major - 136) * 256 + minor}`;
  if (major !== 4) return null;
  return minor < 64 ? `/dev/tty${minor}` : `/dev/ttyS${minor - 64}`;
}

/** Whether the process with this start, as proc_pid_stat(5) has it, runs; a zombie does not. */
export function isSameProcess(pid: number, start: string | null): boolean {
  if (!processExists(pid)) return false;
  const fields = statFields(String(pid));
  // It ended meanwhile, or there is no /proc.
  if (fields.length === 0) return process.platform !== 'linux';
  return fields[0] !== 'Z' && (start === null || fields[19] === start);
}

/** Whether a process with this number exists; it may be another one than intended. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}

/** Whether this process is in the foreground of its terminal; false without one, and where the system does not say. */
export function isInForeground(): boolean {
  const [, , group, , , foreground] = statFields('self');
  return group !== undefined && group === foreground;
}

/** The letter that proc_pid_stat(5) has for its state, such as "T" for a stopped one; null: unknown. */
export function stateOfProcess(pid: number): string | null {
  return statFields(String(pid))[0] ?? null;
}

function statFields(process: string): readonly string[] {
  try {
    return fieldsOf(readFileSync(`/proc/${process}/stat`, 'utf8'));
  } catch {
    return [];
  }
}

/** Behind the name, which may hold anything: state, parent, group, session, terminal; the 20th is the start. */
function fieldsOf(stat: string): readonly string[] {
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

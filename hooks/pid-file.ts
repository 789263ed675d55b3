import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';

/**
 * One run of one process: its number, the boot it lives in, and its start, in clock ticks since then, or without /proc
 * (macOS) as ps(1) prints it, such as "Sat_Nov_28_00:20:01_2026" ("-" where the system reports neither). Numbers are
 * reused; the three together are not.
 */
export interface ProcessIdentity {
  readonly pid: number;
  readonly boot: string;
  readonly start: string;
}

/** Reads `daemon.pid`, one line `PID BOOT START`, and "starting" until it is ready; null if it is missing, invalid or left. */
export function readPidFile(path: string): ProcessIdentity | null {
  if (process.platform === 'win32' && !isHeld(heldFile(path))) return null;
  const line = read(path) ?? '';
  const [, pid, boot, start] = /^([1-9]\d*) (\S+) (\S+)(?: starting)?\n?$/.exec(line) ?? [];
  if (pid === undefined || boot === undefined || start === undefined) return null;
  return { pid: Number(pid), boot, start };
}

/**
 * A file that a daemon on Windows keeps open: no start of a process can be read there, its numbers are reused soon, and a file
 * may be opened so that no other process can.
 */
export function heldFile(pidFile: string): string {
  return `${pidFile}.held`;
}

function isHeld(path: string): boolean {
  try {
    closeSync(openSync(path, 'r'));
    return false;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}

/** Whether the daemon of this file is not ready yet, as far as the file says. */
export function isStarting(path: string): boolean {
  return read(path)?.trimEnd().endsWith(' starting') === true;
}

export function identityOf(pid: number, { proc = '/proc' } = {}): ProcessIdentity {
  return {
    pid,
    boot: currentBoot(proc),
    start: statusOf(pid, proc)?.start ?? startByPs(pid) ?? '-',
  };
}

/** Whether that very process runs; a zombie does not. */
export function isAlive(identity: ProcessIdentity, { proc = '/proc' } = {}): boolean {
  const { pid, boot, start } = identity;
  if (boot !== currentBoot(proc)) return false;
  if (read(`${proc}/self/stat`) === null) {
    const known = start === '-' || !answersSignals(pid) ? null : startByPs(pid);
    return known === null ? answersSignals(pid) : known === start;
  }
  const status = statusOf(pid, proc);
  return status !== null && status.state !== 'Z' && status.start === start;
}

function currentBoot(proc: string): string {
  return read(`${proc}/sys/kernel/random/boot_id`)?.trim() ?? '-';
}

/** Fields 3 and 22 of proc_pid_stat(5). Field 2, the name, may hold blanks and parentheses. */
function statusOf(pid: number, proc: string): { state: string; start: string } | null {
  const line = read(`${proc}/${pid}/stat`);
  if (line === null) return null;
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? 'Z', start: fields[19] ?? '-' };
}

/** In one time zone and language, because those of the person may change. Null: not such a system, or no such process. */
function startByPs(pid: number): string | null {
  if (process.platform === 'win32') return null;
  const env = { LC_ALL: 'C', TZ: 'UTC' };
  const words = ['-o', 'lstart=', '-p', String(pid)];
  const { status, stdout } = spawnSync('/bin/ps', words, { env, encoding: 'utf8', timeout: 2_000 });
  const start = status === 0 ? stdout.trim().replaceAll(/\s+/g, '_') : '';
  return start === '' ? null : start;
}

function answersSignals(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function read(path: string): string | null {
  try {
    // Reading a planted FIFO would never end.
    return statSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

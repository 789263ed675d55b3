/** Where rows.ts runs, and what a person and agents do there. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const world = process.env['WORLD'] ?? '';
export const home = join(world, 'Users/dev');
export const state = join(home, '.local/state/hookbell');
export const program = fileURLToPath(new URL('../../program/cli.js', import.meta.url));
/** On a Mac, the real programs take the place of the stand-ins, which is why none of them records its words. */
export const isMac = process.platform === 'darwin';
export const node = isMac ? process.execPath : '/usr/bin/node';
const searchPath = isMac ? `${dirname(node)}:/usr/bin:/bin:/usr/sbin:/sbin` : '/usr/bin:/bin';
const env = { HOME: home, PATH: searchPath, LANG: 'en_US.UTF-8', SHELL: '/bin/zsh' };

interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

export function run(
  words: readonly string[],
  input: string | Uint8Array = '',
  more: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [command = '', ...rest] = words;
  const child = spawn(command, rest, { cwd: home, env: { ...env, ...more }, timeout: 60_000 });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => (printed += String(data)));
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, printed })));
}

/** By the program that was installed. */
export const hookbell = (...words: readonly string[]) =>
  run([join(home, '.local/bin/hookbell'), ...words]);

export async function worked(...words: readonly string[]): Promise<string> {
  const { code, printed } = await hookbell(...words);
  assert.equal(code, 0, `hookbell ${words.join(' ')}: ${printed}`);
  return printed;
}

/** The command that Claude Code runs for an event. */
export async function registered(event: string): Promise<string> {
  const settings = JSON.parse(await readFile(join(home, '.claude/settings.json'), 'utf8'));
  return settings.hooks[event][0].hooks[0].command;
}

/** Runs a hook as agents do, which must not notice it. */
export async function ringBy(
  command: string,
  input: string | Uint8Array,
  shell = '/bin/sh',
): Promise<void> {
  assert.deepEqual(await run([shell, '-c', command], input), { code: 0, printed: '' });
}

/** Claude Code notifies of something. */
export async function ring(
  message: string,
  { shell = '/bin/sh', command = '', cwd = join(home, 'shop') } = {},
): Promise<void> {
  const payload = { session_id: 's1', hook_event_name: 'Notification', message, cwd };
  await ringBy(command || (await registered('Notification')), JSON.stringify(payload), shell);
}

export async function until(what: string, is: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await is()) return;
    await delay(100);
  }
  assert.fail(`never: ${what}`);
}

export async function history(): Promise<readonly Readonly<Record<string, string>>[]> {
  const { code, printed } = await hookbell('history', '--json', '--limit', '1000');
  return code === 0 ? JSON.parse(printed) : [];
}

export async function messages(): Promise<readonly string[]> {
  return (await history()).map(({ text = '' }) => text);
}

export const arrived = (message: string) => async () =>
  (await messages()).some((text) => text.includes(message));

export async function pidFile(): Promise<readonly string[]> {
  return (await readFile(join(state, 'daemon.pid'), 'utf8').catch(() => '')).trim().split(' ');
}

export async function kill(): Promise<void> {
  const pid = Number((await pidFile())[0]);
  try {
    if (pid > 1) process.kill(pid, 'SIGKILL');
  } catch {
    // It is dead already.
  }
}

export async function recorded(name: string): Promise<string> {
  return readFile(join(world, 'recorded', name), 'utf8').catch(() => '');
}

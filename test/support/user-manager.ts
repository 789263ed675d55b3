import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { until } from './hookbell-home.ts';
import { needsPrivateMounts } from './private-mounts.ts';
import { type Finished, runProcess } from './run-process.ts';
import { needs } from './system-part.ts';

const SYSTEMD = '/lib/systemd/systemd';

/** The reason to skip a test with a real user manager of systemd, or false. */
export function needsUserManager(): string | false {
  return needs(SYSTEMD, 'systemctl') || needsPrivateMounts();
}

/** A user's own systemd, as logind starts it at the first log-in. */
export interface UserManager extends AsyncDisposable {
  /** XDG_RUNTIME_DIR of the session. */
  readonly runtime: string;
  /** Runs `systemctl --user`. */
  ctl(...words: readonly string[]): Promise<Finished>;
  /** One property of a unit. */
  show(unit: string, property: string): Promise<string>;
  logIn(): Promise<void>;
  /** Ends the manager with all its units. */
  logOut(): Promise<void>;
}

/** @param home the directory must exist; the units are in it */
export async function userManager(home: string): Promise<UserManager> {
  const runtime = join(home, 'run');
  mkdirSync(runtime, { mode: 0o700 });
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', XDG_RUNTIME_DIR: runtime };
  let manager: ChildProcess | null = null;
  const ctl = (...words: readonly string[]): Promise<Finished> =>
    runProcess('systemctl', ['--user', '--no-pager', ...words], { env });

  async function logIn(): Promise<void> {
    // It runs only on a machine that systemd has booted, which shows in /run.
    const script = 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec "$@"';
    manager = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', SYSTEMD, '--user'], {
      env,
      stdio: 'ignore',
    });
    await until(async () => (await ctl('is-active', 'default.target')).code === 0);
  }

  async function logOut(): Promise<void> {
    const running = manager;
    if (running === null) return;
    const ended = new Promise((resolve) => running.once('exit', resolve));
    await ctl('exit');
    await ended;
    manager = null;
  }

  await logIn();
  return {
    runtime,
    ctl,
    async show(unit, property) {
      const { stdout } = await ctl('show', unit, `--property=${property}`, '--value');
      return stdout.trim();
    },
    logIn,
    logOut,
    [Symbol.asyncDispose]: logOut,
  };
}

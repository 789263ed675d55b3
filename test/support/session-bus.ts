import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryDirectory } from './temporary-directory.ts';

/** A private D-Bus session bus. Only what is given `address` can see it. */
export interface TestBus extends AsyncDisposable {
  /** For DBUS_SESSION_BUS_ADDRESS. */
  readonly address: string;
  /** Its directory, 0700; the socket in it is named "bus", as in XDG_RUNTIME_DIR. */
  readonly directory: string;
}

/**
 * Starts dbus-daemon. Without `env` it activates nothing: a name without an owner stays without one.
 *
 * @param env what the services it activates are to know
 */
export async function startSessionBus(
  env?: Readonly<Record<string, string | undefined>>,
): Promise<TestBus> {
  const directory = await temporaryDirectory();
  const address = `--address=unix:path=${join(directory.path, 'bus')}`;
  // The system's service files lie below its data directories.
  const nothing = { XDG_DATA_DIRS: directory.path, XDG_DATA_HOME: directory.path };
  const daemon = spawn(
    'dbus-daemon',
    ['--session', '--nofork', '--nosyslog', '--print-address=1', address],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'], ...(env ?? nothing) },
    },
  );
  const ended = once(daemon, 'exit');
  const lines = createInterface(daemon.stdout);
  const [printed] = await Promise.race([once(lines, 'line'), ended]);
  lines.close();
  if (typeof printed !== 'string') throw new Error('dbus-daemon did not start');
  return {
    address: printed,
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      daemon.kill();
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

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

/** Starts dbus-daemon without service files: nothing is activated, what nobody owns has no owner. */
export async function startSessionBus(): Promise<TestBus> {
  const directory = await temporaryDirectory();
  const daemon = spawn(
    'dbus-daemon',
    [
      '--session',
      '--nofork',
      '--nosyslog',
      '--print-address=1',
      `--address=unix:path=${join(directory.path, 'bus')}`,
    ],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
      // Its default data directories hold the system's service files.
      env: {
        PATH: process.env['PATH'],
        XDG_DATA_DIRS: directory.path,
        XDG_DATA_HOME: directory.path,
      },
    },
  );
  const ended = once(daemon, 'exit');
  const lines = createInterface(daemon.stdout);
  const [address] = await Promise.race([once(lines, 'line'), ended]);
  lines.close();
  if (typeof address !== 'string') throw new Error('dbus-daemon did not start');
  return {
    address,
    directory: directory.path,
    async [Symbol.asyncDispose]() {
      daemon.kill();
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

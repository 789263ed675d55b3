import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { freePort } from './free-port.ts';
import type { Postgres } from './postgres.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** An unprivileged user: PgBouncer refuses to run as root. */
const UNPRIVILEGED = 65_534;

export interface PgBouncer extends AsyncDisposable {
  /** A URL of the database "hookbell" through it. */
  readonly url: string;
}

/** A real PgBouncer in front of a server. */
export async function startPgBouncer(
  postgres: Postgres,
  mode: 'session' | 'transaction',
): Promise<PgBouncer> {
  const directory = await temporaryDirectory();
  const isRoot = process.getuid?.() === 0;
  const owner = isRoot ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (isRoot) await chown(directory.path, UNPRIVILEGED, UNPRIVILEGED);
  const port = await freePort();
  const settings = join(directory.path, 'pgbouncer.ini');
  const log = join(directory.path, 'log');
  await writeFile(
    settings,
    [
      '[databases]',
      `hookbell = host=${postgres.directory} user=hookbell`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = any',
      `pool_mode = ${mode}`,
      `logfile = ${log}`,
      '',
    ].join('\n'),
  );
  const bouncer = spawn('/usr/sbin/pgbouncer', ['-q', settings], { ...owner, stdio: 'ignore' });
  while (!(await isListening(port))) {
    if (bouncer.exitCode !== null) {
      throw new Error(`PgBouncer does not start: ${await readFile(log, 'utf8')}`);
    }
    await delay(20);
  }
  return {
    url: `postgres://hookbell@127.0.0.1:${port}/hookbell`,
    async [Symbol.asyncDispose]() {
      const ended = once(bouncer, 'exit');
      bouncer.kill('SIGKILL');
      await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

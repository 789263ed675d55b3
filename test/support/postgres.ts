import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, chown, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { Client } from 'pg';

import { needs } from './system-part.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const run = promisify(execFile);

const PROGRAMS = '/usr/lib/postgresql/15/bin';
/** An unprivileged user: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;
const START_MS = 30_000;

/** Who runs the server; empty: who runs the tests. */
type Owner = { readonly uid: number; readonly gid: number } | { readonly uid?: never };

/** Why tests of PostgreSQL cannot run here, or false. */
export function needsPostgres(): string | false {
  return needs(`${PROGRAMS}/postgres`, `${PROGRAMS}/initdb`);
}

export interface Postgres extends AsyncDisposable {
  /** A URL of its database "hookbell", over its unix socket; the user is its superuser. */
  readonly url: string;
  readonly directory: string;
  /** Kills it without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again after a kill. */
  start(): Promise<void>;
  /** Runs a statement as the superuser. */
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
  /**
   * A standby that has confirmed each commit before it is acknowledged. Needs a server on a port.
   *
   * @param port of the standby
   */
  standby(port: number): Promise<Standby>;
}

export interface Standby extends AsyncDisposable {
  /** Makes it a primary. */
  promote(): Promise<void>;
  /** Runs a statement as the superuser. */
  run(sql: string): Promise<readonly Record<string, unknown>[]>;
}

/**
 * A real PostgreSQL in a temporary directory, on a unix socket.
 *
 * @param settings lines of postgresql.conf
 */
export async function startPostgres(settings: readonly string[] = []): Promise<Postgres> {
  const directory = await temporaryDirectory();
  const owner = process.getuid?.() === 0 ? { uid: UNPRIVILEGED, gid: UNPRIVILEGED } : {};
  if (owner.uid !== undefined) await chown(directory.path, owner.uid, owner.gid);
  const data = await makeFiles(directory.path, owner);
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      "listen_addresses = ''",
      `unix_socket_directories = '${directory.path}'`,
      // A killed process loses nothing by it, and the machine is not to lose power.
      'fsync = off',
      'max_connections = 200',
      ...settings,
      '',
    ].join('\n'),
  );
  const port = settings.find((line) => line.startsWith('port = '))?.slice(7) ?? '5432';
  const url = `postgres://hookbell@localhost:${port}/hookbell?host=${encodeURIComponent(directory.path)}`;
  let server = await startAt(directory.path, owner);

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    await ended;
  }

  return {
    url,
    directory: directory.path,
    kill: () => end('SIGKILL'),
    async start() {
      server = await startAt(directory.path, owner);
    },
    run: (sql) => query(directory.path, 'hookbell', sql),
    standby: (at) => startStandby({ directory: directory.path, port, at, owner }),
    async [Symbol.asyncDispose]() {
      await end('SIGQUIT');
      await directory[Symbol.asyncDispose]();
    },
  };
}

/**
 * Makes the files of a server with only the empty database "hookbell". That takes a second of the processor, and to copy them
 * a twentieth: the first ones are kept for the run of scripts/test.mjs.
 */
async function makeFiles(directory: string, owner: Owner): Promise<string> {
  const data = join(directory, 'data');
  const shared = process.env['HOOKBELL_TEST_SHARED'];
  const made = shared === undefined ? null : join(shared, 'postgres');
  if (made !== null && existsSync(made)) {
    await run('cp', ['-a', '--reflink=auto', made, data]);
    return data;
  }
  const around = { ...owner, cwd: directory };
  const options = ['-D', data, '-U', 'hookbell', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8'];
  await run(`${PROGRAMS}/initdb`, [...options, '--wal-segsize=1', '--no-sync'], around);
  const create = `echo 'CREATE DATABASE hookbell' | exec "$@" postgres >/dev/null`;
  const settings = ['-c', `unix_socket_directories=${directory}`, '-c', 'fsync=off'];
  const server = [`${PROGRAMS}/postgres`, '--single', '-D', data, ...settings];
  await run('/bin/sh', ['-c', create, 'sh', ...server], around);
  if (made !== null) {
    const copy = `${made}.${process.pid}`;
    await run('cp', ['-a', data, copy]);
    // Another process may have been first: what it made is as good.
    await rename(copy, made).catch(() => rm(copy, { recursive: true }));
  }
  return data;
}

async function startStandby({
  directory: primary,
  port,
  at,
  owner,
}: {
  readonly directory: string;
  readonly port: string;
  readonly at: number;
  readonly owner: Owner;
}): Promise<Standby> {
  const directory = await temporaryDirectory();
  if (owner.uid !== undefined) await chown(directory.path, owner.uid, owner.gid);
  const data = join(directory.path, 'data');
  const from = ['-h', primary, '-p', port, '-U', 'hookbell'];
  await run(
    `${PROGRAMS}/pg_basebackup`,
    [...from, '-D', data, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
    { ...owner, cwd: directory.path },
  );
  await appendFile(
    join(data, 'postgresql.conf'),
    `unix_socket_directories = '${directory.path}'\nport = ${at}\n`,
  );
  const server = await startAt(directory.path, owner);
  // A commit of the primary waits for the standby from now on.
  await query(primary, 'hookbell', "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await query(primary, 'hookbell', 'SELECT pg_reload_conf()');
  return {
    async promote() {
      await query(directory.path, 'hookbell', "ALTER SYSTEM SET synchronous_standby_names = ''");
      await query(directory.path, 'hookbell', 'SELECT pg_reload_conf(), pg_promote()');
    },
    run: (sql) => query(directory.path, 'hookbell', sql),
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit');
      server.kill('SIGQUIT');
      if (server.exitCode === null) await ended;
      await directory[Symbol.asyncDispose]();
    },
  };
}

async function startAt(directory: string, owner: Owner) {
  const log = join(directory, 'log');
  const giveUpAt = performance.now() + START_MS;
  for (;;) {
    const server = spawn(
      '/bin/sh',
      ['-c', `exec "${PROGRAMS}/postgres" -D "$1/data" >>"$1/log" 2>&1`, 'postgres', directory],
      { ...owner, cwd: directory, stdio: 'ignore' },
    );
    while (server.exitCode === null && performance.now() < giveUpAt) {
      try {
        await query(directory, 'postgres', 'SELECT 1');
        return server;
      } catch {
        await delay(20);
      }
    }
    // After a kill, the former processes have the memory for a moment longer.
    if (performance.now() > giveUpAt)
      throw new Error(`PostgreSQL does not start: ${await readFile(log, 'utf8')}`);
    await delay(100);
  }
}

async function query(
  directory: string,
  database: string,
  sql: string,
): Promise<readonly Record<string, unknown>[]> {
  const settings = await readFile(join(directory, 'data', 'postgresql.conf'), 'utf8');
  // The last one counts.
  const [, port = '5432'] = [...settings.matchAll(/^port = (\d+)$/gm)].at(-1) ?? [];
  const client = new Client({ host: directory, port: Number(port), user: 'hookbell', database });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<Record<string, unknown>>(sql);
    return rows;
  } finally {
    await client.end().catch(() => {});
  }
}

import type { Client } from 'pg';

import type { Log } from '../../platform/log.ts';
import { createRounds } from '../../platform/rounds.ts';
import { systemTimer } from '../../platform/time.ts';
import type { ServerClock } from './server-clock.ts';
import type { OpenConnection } from './server-connections.ts';
import type { Server } from './server.ts';

/** A notification may be lost with its connection. */
const POLL_MS = 1_000;
const LONGEST_REST_MS = 5_000;
/** The server ends the connection of a process that has been silent for 15 s; before that it must not rely on its lock. */
const OWNED_MS = 12_000;

export interface ServerWatch {
  start(): void;
  stop(): Promise<void>;
  /** Whether this process holds the leader lock. */
  isOwner(): boolean;
}

/**
 * Listens for new work of other processes on a separate connection, which also shows them that this process is alive, and
 * reads the server's clock each second.
 *
 * One of all processes holds the leader lock, for work that only one of them may do. The lock ends with that connection, also
 * when the process is stopped or its host is lost, and then another process takes it.
 */
export function watchServer(
  server: Pick<Server, 'open'>,
  {
    clock,
    ownership,
    onWork,
    random,
    log,
  }: {
    /** The key of the leader lock, which differs between stores in the same database. */
    readonly ownership: number;
    readonly clock: ServerClock;
    readonly onWork: () => void;
    readonly random: () => number;
    readonly log: Log;
  },
): ServerWatch {
  let connection: OpenConnection | null = null;
  /** The connection that holds the lock. */
  let owner: Client | null = null;
  let answeredAt = 0;
  let isAway = false;

  const rounds = createRounds({
    async round() {
      connection ??= await listen();
      const { client } = connection;
      const askedAt = performance.now();
      const { at, tookMs } = await readServerTime(client);
      clock.set(at, tookMs);
      answeredAt = askedAt;
      if (owner !== client && (await own(client))) owner = client;
      if (isAway) log.info({}, 'The database answers again');
      isAway = false;
      onWork();
      return POLL_MS;
    },
    onTrouble(error) {
      if (!isAway) log.warn({ err: error }, 'Cannot reach the database: retrying');
      isAway = true;
      letGo();
    },
    longestMs: LONGEST_REST_MS,
    random,
    startTimer: systemTimer,
  });

  async function listen(): Promise<OpenConnection> {
    const opened = await server.open('watch');
    const { client } = opened;
    client.on('end', () => {
      if (owner === client) owner = null;
    });
    client.on('notification', () => onWork());
    try {
      await client.query('LISTEN hookbell');
    } catch (error) {
      opened.cut();
      throw error;
    }
    return opened;
  }

  async function own(on: Client): Promise<boolean> {
    const { rows } = await on.query<{ readonly held: number }>(
      'SELECT pg_try_advisory_lock($1) AS held',
      [ownership],
    );
    return rows[0]?.held === 1;
  }

  /** The server may no longer answer. */
  function letGo(): void {
    connection?.cut();
    connection = null;
    owner = null;
  }

  return {
    start: () => rounds.start(),
    async stop() {
      await rounds.stop();
      await connection?.end();
      letGo();
    },
    isOwner: () => owner !== null && performance.now() - answeredAt < OWNED_MS,
  };
}

/** The server's clock, Unix ms, and how long the answer took. */
export async function readServerTime(
  client: Pick<Client, 'query'>,
): Promise<{ readonly at: number; readonly tookMs: number }> {
  const asked = performance.now();
  const { rows } = await client.query<{ readonly at: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at',
  );
  return { at: rows[0]?.at ?? 0, tookMs: performance.now() - asked };
}

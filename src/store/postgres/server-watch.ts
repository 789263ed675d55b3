import type { Client } from 'pg';

import type { Log } from '../../platform/log.ts';
import { createRounds } from '../../platform/rounds.ts';
import { systemTimer } from '../../platform/time.ts';
import type { ServerClock } from './server-clock.ts';
import type { Server } from './server.ts';

/** A notification may be lost with its connection. */
const POLL_MS = 1_000;
const LONGEST_REST_MS = 5_000;

export interface ServerWatch {
  start(): void;
  stop(): Promise<void>;
  /** Whether this process holds the lock of the work that only one of them does. */
  isOwner(): boolean;
}

/**
 * Listens for new work of other processes on a connection of its own, which also shows them that this process lives, and
 * reads the server's clock each second.
 *
 * Of all processes one holds a lock, for the work that is not to be done by each. It ends with that connection, and then
 * another one takes it.
 */
export function watchServer(
  server: Pick<Server, 'client'>,
  {
    clock,
    ownership,
    onWork,
    random,
    log,
  }: {
    /** The key of that lock: other stores in the same database have others. */
    readonly ownership: number;
    readonly clock: ServerClock;
    readonly onWork: () => void;
    readonly random: () => number;
    readonly log: Log;
  },
): ServerWatch {
  let client: Client | null = null;
  let owner: Client | null = null;
  let isAway = false;

  const rounds = createRounds({
    async round() {
      client ??= await listen();
      const { at, tookMs } = await readServerTime(client);
      clock.set(at, tookMs);
      if (owner !== client && (await own(client))) owner = client;
      if (isAway) log.info({}, 'The database answers again');
      isAway = false;
      onWork();
      return POLL_MS;
    },
    async onTrouble(error) {
      if (!isAway) log.warn({ err: error }, 'Cannot reach the database: retrying');
      isAway = true;
      await letGo();
    },
    longestMs: LONGEST_REST_MS,
    random,
    startTimer: systemTimer,
  });

  async function listen(): Promise<Client> {
    const fresh = server.client();
    fresh.on('error', () => {});
    fresh.on('end', () => {
      if (owner === fresh) owner = null;
    });
    fresh.on('notification', () => onWork());
    await fresh.connect();
    await fresh.query('LISTEN hookbell');
    return fresh;
  }

  async function own(on: Client): Promise<boolean> {
    const { rows } = await on.query<{ readonly held: number }>(
      'SELECT pg_try_advisory_lock($1) AS held',
      [ownership],
    );
    return rows[0]?.held === 1;
  }

  async function letGo(): Promise<void> {
    const former = client;
    client = null;
    owner = null;
    await former?.end().catch(() => {});
  }

  return {
    start: () => rounds.start(),
    async stop() {
      await rounds.stop();
      await letGo();
    },
    isOwner: () => owner !== null,
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

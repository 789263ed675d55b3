import type { Client } from 'pg';
import type { Log } from '../../platform/log.ts';
import { createRounds } from '../../platform/rounds.ts';
import { systemTimer } from '../../platform/time.ts';
import type { OpenConnection } from './server-connections.ts';
import type { Server } from './server.ts';

/** A notification may be lost with its connection. */
const POLL_MS = 1_000;
const LONGEST_REST_MS = 5_000;
/** The server ends the connection of a process that has been silent for 15 s; before that it must not rely on its lock. */
const OWNED_MS = 12_000;

/**
 * Listens for new work of other processes on a separate connection, which also shows them that this process is alive, and
 * reads the server's clock each second. One of all processes holds the leader lock, for work that only one of them may do;
 * it ends with that connection, also when the process is stopped or its host is lost.
 */
export function watchServer(
  server: Pick<Server, 'open'>,
  options: {
    /** The key of the leader lock, which differs between stores in the same database. */
    readonly ownership: number;
    readonly clock: ServerClock;
    readonly onWork: () => void;
    readonly random: () => number;
    readonly log: Log;
  },
) {
  const { clock, ownership, onWork, random, log } = options;
  let connection: OpenConnection | null = null;
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
    start: (): void => rounds.start(),
    async stop(): Promise<void> {
      await rounds.stop();
      await connection?.end();
      letGo();
    },
    /** Whether this process holds the leader lock. */
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

/** A larger step back means that the server or its clock changed; a smaller one is noise, ms. */
const NOISE_MS = 2_000;

type ServerClock = ReturnType<typeof createServerClock>;

/**
 * The server's clock, interpolated with this process's monotonic clock between two readings.
 *
 * @param monotonic milliseconds that no change of a clock moves
 */
export function createServerClock(monotonic: () => number) {
  let offset = Number.NEGATIVE_INFINITY;
  let last = 0;
  return {
    now(): number {
      const at = Math.round(monotonic() + offset);
      // Never steps back by noise: an event would precede its cause.
      last = at < last && last - at < NOISE_MS ? last : at;
      return last;
    },
    /**
     * A slow answer proves less than a quick one: what it does not contradict stays.
     *
     * @param at the server's time, Unix ms, at some moment between asking and the answer
     * @param tookMs between asking and the answer, which came now
     */
    set(at: number, tookMs: number): void {
      const least = at - monotonic();
      const most = least + tookMs;
      if (offset < least || offset > most) offset = (least + most) / 2;
    },
  };
}

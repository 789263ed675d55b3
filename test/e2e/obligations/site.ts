import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { readLines } from '../../support/file-channel-home.ts';
import type { HookbellHome } from '../../support/hookbell-home.ts';
import { hookbellHome, projectRoot, until } from '../../support/hookbell-home.ts';
import type { HttpEndpoint } from '../../support/http-endpoint.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import { isAlive } from '../../support/is-alive.ts';
import { needsMount } from '../../support/small-file-system.ts';
import { claimIn, claimNamed, payloadOf } from './claim.ts';
import type { Arrival } from './judge.ts';
import type { Ledger } from './ledger.ts';
import { createLedger } from './ledger.ts';
import type { Witness } from './witness.ts';
import { openWitness } from './witness.ts';

/** Small enough to be filled in a moment, and more than the warning of a disk that is nearly full begins with. */
const MEGABYTES = 96;

const shiftedClock = fileURLToPath(new URL('../../support/shifted-clock.js', import.meta.url));

/** The place of all acts: a home with hooks and a daemon, and channels that record what they receive. */
export interface Site extends AsyncDisposable {
  readonly place: HookbellHome;
  readonly ledger: Ledger;
  readonly web: Witness;
  readonly random: () => number;
  /** The folder of the file that one of the channels writes. */
  readonly outFolder: string;
  /** True where the home is on a separate small disk. */
  readonly hasOwnDisk: boolean;
  /** How long to wait for anything, ms. */
  readonly patienceMs: number;
  /** What the channels have received so far. */
  arrivals(): Promise<readonly Arrival[]>;
  /** Sends events, as many agents do, as long as the work lasts. */
  during<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Sends `count` events, and waits until their hooks have ended. */
  handIn(count: number): Promise<void>;
  /** Makes sure that a daemon of ours answers, and answers its number. */
  start(): Promise<number>;
  /** Ends it in order. */
  stop(): Promise<void>;
  /**
   * Ends it as a crash does: what it sends meanwhile may come again.
   *
   * @param pid its number, where its disk has failed
   */
  kill(pid?: number): Promise<void>;
  /** Starts the daemon's program, without waiting for anything. */
  launch(): ChildProcess;
  pid(): Promise<number>;
  /** Moves the wall clock of the daemons that are started here. */
  shiftClock(ms: number): Promise<void>;
  /** How many messages may come again. */
  forgiven(): number;
  /** Whether messages may overtake each other, until the next look. */
  mayOvertake: boolean;
}

export interface SiteOptions {
  readonly random: () => number;
  readonly patienceMs: number;
}

/** What a daemon that dies may have sent without a record of it: the batches of the file and of the webhook, and one message. */
const IN_FLIGHT = 128 + 128 + 1;
/** One claim in this number is about something the webhook refuses. */
const DOOMED_EVERY = 25;
const SESSIONS = ['s1', 's2', 's3'];

export async function openSite({ random, patienceMs }: SiteOptions): Promise<Site> {
  const hasOwnDisk = needsMount() === false;
  const place = await hookbellHome(hasOwnDisk ? { megabytes: MEGABYTES } : {});
  const web = await openWitness();
  const people = await openHttpEndpoint();
  const records = join(dirname(place.home), 'records');
  const clock = join(records, 'clock');
  const outFolder = join(records, 'out');
  const out = join(outFolder, 'out.jsonl');
  await mkdir(outFolder, { recursive: true, mode: 0o700 });
  await place.writeConfig(configuration({ out, web, people }));
  const ledger = createLedger();
  const numbers = new Map<string, number>();
  let forgiven = 0;

  async function handInOne(session: string): Promise<void> {
    const number = numbers.get(session) ?? 0;
    numbers.set(session, number + 1);
    const isDoomed = number % DOOMED_EVERY === DOOMED_EVERY - 1;
    const claim = claimNamed(session, number, isDoomed ? 'doomed' : 'told');
    await ledger.handIn(claim, () => place.handOver(payloadOf(claim)));
  }

  function launch(): ChildProcess {
    return spawn(process.execPath, [join(projectRoot, 'dist/program/daemon.js')], {
      env: place.env,
      stdio: 'ignore',
    });
  }

  async function pid(): Promise<number> {
    return (await place.ask('GET /v1/status')).pid;
  }

  return {
    place,
    ledger,
    web,
    random,
    outFolder,
    hasOwnDisk,
    patienceMs,
    mayOvertake: false,
    launch,
    pid,
    async arrivals() {
      const lines = await readLines(out);
      const told = lines.map(({ eventId, body, possibleDuplicate }): Arrival => {
        return { channel: 'out', id: eventId, claim: claimIn(body), isMarked: possibleDuplicate };
      });
      return [...told, ...web.arrivals];
    },
    async during<Result>(work: () => Promise<Result>): Promise<Result> {
      const over = new AbortController();
      const drivers = SESSIONS.map(async (session) => {
        while (!over.signal.aborted) {
          await handInOne(session);
          await delay(random() * 60);
        }
      });
      try {
        return await work();
      } finally {
        over.abort();
        await Promise.all(drivers);
      }
    },
    async handIn(count) {
      for (let left = count; left > 0; left -= SESSIONS.length) {
        await Promise.all(SESSIONS.slice(0, left).map((session) => handInOne(session)));
      }
    },
    async start() {
      place.env['HOOKBELL_TEST_CLOCK'] = clock;
      await place.start(['--import', shiftedClock]);
      return pid();
    },
    async stop() {
      const number = await pid();
      process.kill(number, 'SIGTERM');
      await until(() => !isAlive(number), patienceMs);
    },
    async kill(number) {
      forgiven += IN_FLIGHT;
      if (number === undefined) return place.killDaemon();
      process.kill(number, 'SIGKILL');
      await until(() => !isAlive(number), patienceMs);
    },
    shiftClock: (ms) => writeFile(clock, String(ms)),
    forgiven: () => forgiven + web.unanswered(),
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      await web[Symbol.asyncDispose]();
      await people[Symbol.asyncDispose]();
    },
  };
}

/** Everything goes to two witnesses, and to a channel that people read; one project is sent nowhere. */
function configuration({
  out,
  web,
  people,
}: {
  readonly out: string;
  readonly web: Witness;
  readonly people: HttpEndpoint;
}): string {
  return `channels:
  out: { type: file, path: ${out} }
  web: { type: webhook, url: "${web.url}/", allow_http: true, allow_private: true, timeout: 2s, rate: { burst: 1000, every: 1ms } }
  team: { type: slack, webhook: "${people.url}/hook", allow_any_host: true }
routes:
  - { match: { project: nobody }, plan: none }
  - { match: {}, notify: [out, web, team] }
history: { max_size: 24MB }
`;
}

/** Waits until a process has ended; answers its status. */
export async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.exitCode;
}

/**
 * Waits until nothing is on its way: all that still waits has a reason to.
 *
 * @throws with what is on its way for too long
 */
export async function untilQuiet({ place, patienceMs }: Site): Promise<void> {
  let rest = 'the daemon does not answer';
  const isQuiet = async (): Promise<boolean> => {
    const status = await place.ask('GET /v1/status').catch(() => null);
    if (status === null) return false;
    const query = { state: 'pending,retrying', limit: '10000' };
    const waiting = await place.ask('GET /v1/queue', { query });
    const due = waiting.filter(({ heldFor }) => heldFor === null);
    rest = `${status.spool.pending} in the spool, due ${JSON.stringify(due.slice(0, 3))}`;
    return status.spool.pending === 0 && due.length === 0;
  };
  await until(isQuiet, patienceMs).catch((error: unknown) => {
    throw new Error(`Not quiet: ${rest}`, { cause: error });
  });
}

import { durationText } from '../text/duration.ts';
import { type Log, silentLog } from '../platform/log.ts';
import type { ServiceAnswer, ServiceSession, SessionService } from '../core/looked-up.ts';
import { futureTime } from './channel-health.ts';
import { createLookUpBreaker, type LookUpState } from './look-up-breaker.ts';
import type { StartTimer } from '../platform/time.ts';

/** The longest a thing is kept, ms: a clock set back keeps nothing for longer. */
const LONGEST_MS = 3_600_000;
/** What was kept first goes first when there is more. */
const MOST = 1_000;

/** Remembers things for a while, and only so many. */
interface ShortMemory<Thing> {
  /** Null: not known any more. */
  get(key: string): Thing | null;
  set(key: string, thing: Thing, forMs: number): void;
}

export function createShortMemory<Thing>(now: () => number): ShortMemory<Thing> {
  const kept = new Map<string, { readonly thing: Thing; readonly until: number }>();
  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return null;
      if (futureTime(found.until, LONGEST_MS, now()) > now()) return found.thing;
      kept.delete(key);
      return null;
    },
    set(key, thing, forMs) {
      kept.delete(key);
      kept.set(key, { thing, until: now() + forMs });
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    },
  };
}

/** What was answered holds so long. */
const KNOWN_MS = 600_000;
/** Sessions get their title a while after their beginning. */
const UNTITLED_MS = 60_000;
/** That there is no such session holds so long. */
const UNKNOWN_MS = 3_600_000;
/** A notification does not wait longer for an answer. */
export const WAIT_MS = 800;
/** A request is given up after so long; what comes after `WAIT_MS` is for the next notification. */
const REQUEST_MS = 10_000;

/** More than these at a time are not asked: their notifications go without. */
const MOST_FLIGHTS = 20;

export interface Known {
  /** Unix ms. */
  readonly askedAt: number;
  readonly session: ServiceSession;
  readonly computer: string | null;
}

/** Asks the vendor's service about sessions, no more often than it has to, and remembers what it said. */
export interface LookUp {
  /** What is known without asking. */
  known(sessionId: string): Known | null;
  /** Settles when all there is to know is known. Never rejects. Null: there is nothing to ask, or nobody may now. */
  ask(sessionId: string): Promise<void> | null;
  /** Asks even what is known, for what changes all the time; settles as soon as the session is known. */
  askAgain(sessionId: string): Promise<void> | null;
  /** True while a request takes longer than a notification would wait: then none should. */
  isSlow(): boolean;
  state(): LookUpState;
  /** One cheap request, even during a pause, which ends where it succeeds. */
  check(): Promise<ServiceAnswer<null>>;
  /** Ends what is under way. */
  stop(): Promise<void>;
}

interface Flight {
  readonly since: number;
  readonly session: Promise<void>;
  /** Its computer as well. */
  readonly all: Promise<void>;
}

export function createLookUp({
  service,
  now,
  startTimer,
  log = silentLog,
}: {
  readonly service: SessionService;
  readonly now: () => number;
  readonly startTimer: StartTimer;
  readonly log?: Log;
}): LookUp {
  const stopping = new AbortController();
  const sessions = createShortMemory<Known | 'unknown'>(now);
  const computers = createShortMemory<{ readonly name: string | null }>(now);
  const flights = new Map<string, Flight>();
  const breaker = createLookUpBreaker({ now, log });
  /** The request that finds out whether the service answers. */
  let trial: Promise<void> | null = null;

  /** One request, bounded; tells the breaker how it went. */
  async function request<Found>(
    send: (signal: AbortSignal) => Promise<ServiceAnswer<Found>>,
  ): Promise<ServiceAnswer<Found>> {
    const begunWith = breaker.pauses();
    const tooLong = new AbortController();
    const cancel = startTimer(REQUEST_MS, () => tooLong.abort());
    const answer = await send(AbortSignal.any([tooLong.signal, stopping.signal]));
    cancel();
    if (stopping.signal.aborted) return answer;
    breaker.learn(
      answer.type === 'failed' && tooLong.signal.aborted
        ? { ...answer, reason: `It did not answer within ${durationText(REQUEST_MS)}` }
        : answer,
      begunWith,
    );
    return answer;
  }

  /**
   * While it is not known whether the service answers, one request finds out and the others wait for it: hooks come in
   * bursts, and a service that refuses is to be asked once.
   *
   * @returns null where nothing may be asked after that
   */
  async function askSession(sessionId: string): Promise<ServiceAnswer<ServiceSession> | null> {
    for (let running = trial; running !== null && !breaker.isWell(); running = trial) {
      await running;
    }
    if (stopping.signal.aborted || !breaker.mayAsk()) return null;
    const answer = request((signal) => service.session(sessionId, signal));
    if (!breaker.isWell()) {
      trial = answer.then(endTrial, endTrial);
    }
    return answer;
  }

  function endTrial(): void {
    trial = null;
  }

  async function lookUpSession(sessionId: string): Promise<ServiceSession | null> {
    const answer = await askSession(sessionId);
    if (answer?.type === 'unknown') sessions.set(sessionId, 'unknown', UNKNOWN_MS);
    if (answer?.type !== 'found') return null;
    const { computerId } = answer.found;
    const computer = computerId === null ? null : computers.get(computerId);
    remember(sessionId, answer.found, computer?.name ?? null);
    return answer.found;
  }

  function remember(sessionId: string, session: ServiceSession, computer: string | null): void {
    const forMs = session.title === null ? UNTITLED_MS : KNOWN_MS;
    sessions.set(sessionId, { askedAt: now(), session, computer }, forMs);
  }

  async function lookUpComputer(sessionId: string, session: ServiceSession): Promise<void> {
    const { computerId } = session;
    if (computerId === null || computers.get(computerId) !== null || !breaker.mayAsk()) return;
    const answer = await request((signal) => service.computer(computerId, signal));
    if (answer.type === 'unknown') computers.set(computerId, { name: null }, UNKNOWN_MS);
    if (answer.type !== 'found') return;
    computers.set(computerId, { name: answer.found }, KNOWN_MS);
    remember(sessionId, session, answer.found);
  }

  function start(sessionId: string): Flight {
    const found = lookUpSession(sessionId);
    const flight: Flight = {
      since: now(),
      session: found.then(() => undefined),
      all: found
        .then((session) => (session === null ? undefined : lookUpComputer(sessionId, session)))
        .catch((error: unknown) => log.error({ err: error }, 'Cannot look a session up'))
        .finally(() => flights.delete(sessionId)),
    };
    flights.set(sessionId, flight);
    return flight;
  }

  /** A service that failed again and again is asked one thing at a time, until it answers. */
  function flightTo(sessionId: string): Flight | null {
    const running = flights.get(sessionId);
    if (running !== undefined) return running;
    if (stopping.signal.aborted || !breaker.mayAsk()) return null;
    const most = breaker.isTrying() ? 1 : MOST_FLIGHTS;
    return flights.size < most ? start(sessionId) : null;
  }

  function known(sessionId: string): Known | null {
    const found = sessions.get(sessionId);
    return found === 'unknown' ? null : found;
  }

  return {
    known,
    ask(sessionId) {
      const running = flights.get(sessionId);
      if (running !== undefined) return running.all;
      return sessions.get(sessionId) === null ? (flightTo(sessionId)?.all ?? null) : null;
    },
    askAgain: (sessionId) =>
      sessions.get(sessionId) === 'unknown' ? null : (flightTo(sessionId)?.session ?? null),
    isSlow: () => [...flights.values()].some(({ since }) => now() - since > WAIT_MS),
    state: () => breaker.state(),
    async check() {
      const answer = await request((signal) => service.reach(signal));
      if (answer.type === 'found') breaker.reset();
      return answer;
    },
    async stop() {
      stopping.abort();
      await Promise.all([...flights.values()].map(({ all }) => all));
    },
  };
}

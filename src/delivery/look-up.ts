import { futureTime } from '../platform/retry.ts';
import { durationText } from '../text/duration.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { RecentMap } from '../platform/recent-map.ts';
import {
  SERVICE_AGENT,
  type ServiceAnswer,
  type ServiceSession,
  type SessionService,
} from '../core/looked-up.ts';
import type { Session } from '../core/session.ts';
import { createLookUpBreaker } from './look-up-breaker.ts';
import { type StartTimer, within } from '../platform/time.ts';
import type { Running, RunningOf } from '../core/due.ts';

/** Longest time an entry is kept, ms, also after the clock was set back. */
const LONGEST_MS = 3_600_000;
const MOST = 1_000;

/** A cache with an expiry per entry and a maximum size. */
export function createShortMemory<Thing>(now: () => number) {
  const entries = new RecentMap<string, { readonly thing: Thing; readonly until: number }>(MOST);
  return {
    /** Null: missing or expired. */
    get(key: string): Thing | null {
      const found = entries.get(key);
      if (found === undefined) return null;
      if (futureTime(found.until, LONGEST_MS, now()) > now()) return found.thing;
      entries.delete(key);
      return null;
    },
    set(key: string, thing: Thing, forMs: number): void {
      entries.set(key, { thing, until: now() + forMs });
    },
  };
}

const KNOWN_MS = 600_000;
/** A session gets its title a while after its start. */
const UNTITLED_MS = 60_000;
const UNKNOWN_MS = 3_600_000;
/** Longest time a notification waits for an answer, ms. */
export const WAIT_MS = 800;
/** Timeout of a request, ms; an answer after `WAIT_MS` is for the next notification. */
const REQUEST_MS = 10_000;

/** Maximum requests in parallel; further notifications go without. */
const MOST_FLIGHTS = 20;

/** Only the vendor's own agent has such sessions: other ids, and those of programs that pass for it, are not sent there. */
export function idAtService({ agent, facts, sessionId }: Session): string | null {
  return agent === SERVICE_AGENT && facts.unproved === undefined ? sessionId : null;
}

export interface CachedSession {
  readonly askedAt: number;
  readonly session: ServiceSession;
  readonly computer: string | null;
}

interface Flight {
  readonly since: number;
  readonly session: Promise<void>;
  readonly all: Promise<void>;
}

export type LookUp = ReturnType<typeof createLookUp>;

/** Asks the vendor's service about sessions as rarely as possible, and caches the answers. */
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
}) {
  const stopping = new AbortController();
  const sessions = createShortMemory<CachedSession | 'unknown'>(now);
  const computers = createShortMemory<{ readonly name: string | null }>(now);
  const flights = new Map<string, Flight>();
  const breaker = createLookUpBreaker(now, log);
  let trial: Promise<void> | null = null;

  /** Sends one request with a timeout, and reports the result to the breaker. */
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

  /** While it is unknown whether the service answers, one request tests it. Returns null if none may be sent after that. */
  async function askSession(sessionId: string): Promise<ServiceAnswer<ServiceSession> | null> {
    for (let running = trial; running !== null && !breaker.isWell(); running = trial) {
      await running;
    }
    if (stopping.signal.aborted || !breaker.mayAsk()) return null;
    const answer = request((signal) => service.session(sessionId, signal));
    const endTrial = (): void => void (trial = null);
    if (!breaker.isWell()) trial = answer.then(endTrial, endTrial);
    return answer;
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

  /** After repeated failures the service is asked one request at a time, until it answers. */
  function flightTo(sessionId: string): Flight | null {
    const running = flights.get(sessionId);
    if (running !== undefined) return running;
    if (stopping.signal.aborted || !breaker.mayAsk()) return null;
    const most = breaker.isTrying() ? 1 : MOST_FLIGHTS;
    return flights.size < most ? start(sessionId) : null;
  }

  function known(sessionId: string): CachedSession | null {
    const found = sessions.get(sessionId);
    return found === 'unknown' ? null : found;
  }

  return {
    cached: known,
    /** Resolves when the session and its computer are known. Never rejects. Null: nothing to ask, or requests are paused. */
    ask(sessionId: string): Promise<void> | null {
      const running = flights.get(sessionId);
      if (running !== undefined) return running.all;
      return sessions.get(sessionId) === null ? (flightTo(sessionId)?.all ?? null) : null;
    },
    /** Asks even for a cached session, for values that change often; resolves as soon as the session is known. */
    askAgain: (sessionId: string): Promise<void> | null =>
      sessions.get(sessionId) === 'unknown' ? null : (flightTo(sessionId)?.session ?? null),
    /** True while a request takes longer than a notification would wait: then notifications should not wait. */
    isSlow: () => [...flights.values()].some(({ since }) => now() - since > WAIT_MS),
    state: () => breaker.state(),
    /** Sends one cheap request, even during a pause, and ends the pause if it succeeds. */
    async check(): Promise<ServiceAnswer<null>> {
      const answer = await request((signal) => service.reach(signal));
      if (answer.type === 'found') breaker.reset();
      return answer;
    },
    /** Aborts the requests in flight. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all([...flights.values()].map(({ all }) => all));
    },
  };
}

/** Asks for at most 800 ms. Sessions not reported in time are `unknown`; for sessions not given the result is null. */
export async function askRunning(
  sessions: readonly Session[],
  { lookUp, now, startTimer }: { lookUp: LookUp; now: () => number; startTimer: StartTimer },
): Promise<RunningOf> {
  const since = now();
  const ended = sessions.filter(({ state }) => state === 'done');
  const asked = Promise.all(
    ended.flatMap((session) => {
      const id = idAtService(session);
      const request = id === null ? null : lookUp.askAgain(id);
      return request === null ? [] : [request];
    }),
  );
  await within(asked, WAIT_MS, startTimer);

  const running = new Map(
    sessions.map(({ key, sessionId }): [string, Running] => [
      key,
      sessionId === null ? 'unknown' : runningNow(sessionId, lookUp, since),
    ]),
  );
  return (sessionKey) => running.get(sessionKey) ?? null;
}

/** An answer from before may be outdated. */
function runningNow(sessionId: string, lookUp: LookUp, since: number): Running {
  const cached = lookUp.cached(sessionId);
  if (cached === null || cached.askedAt < since) return 'unknown';
  switch (cached.session.status) {
    case 'running':
    case 'pending':
      return 'yes';
    case 'idle':
      return 'no';
    default:
      return 'unknown';
  }
}

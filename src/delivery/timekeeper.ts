import { backoffMs } from '../platform/retry.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { type PresenceOf, unknownPresence } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { Store } from '../core/store.ts';
import type { DecideDue, RunningOf } from '../core/due.ts';
import { pause, type StartTimer, systemTimer } from '../platform/time.ts';

/** Longest sleep: a suspended machine or a clock that was set is noticed that soon. */
const LONGEST_SLEEP_MS = 30_000;

interface RoundsOptions {
  /** Does what is due and answers how long nothing will be, ms. When it rejects it is tried again, less and less often. */
  readonly round: (stopping: AbortSignal) => Promise<number>;
  /** What the log says when a round rejects. */
  readonly trouble: string;
  /** In [0, 1). */
  readonly random: () => number;
  readonly startTimer: StartTimer;
  readonly log: Log;
}

/** One round after the other, with a sleep in between. */
interface Rounds {
  start(): void;
  /** Resolves when the round under way is over. */
  stop(): Promise<void>;
  /** The sleep is over; during a round: there is none after it. */
  wake(): void;
}

export function createRounds({ round, trouble, random, startTimer, log }: RoundsOptions): Rounds {
  const stopping = new AbortController();
  let nudge = new AbortController();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    let troubles = 0;
    while (!stopping.signal.aborted) {
      nudge = new AbortController();
      let sleepMs: number;
      try {
        sleepMs = Math.min(LONGEST_SLEEP_MS, Math.max(0, await round(stopping.signal)));
        troubles = 0;
      } catch (error) {
        troubles += 1;
        sleepMs = backoffMs(troubles, random(), { capMs: LONGEST_SLEEP_MS });
        log.warn({ err: error }, trouble);
      }
      // A wake that came during the round has aborted the nudge: then there is no pause.
      await pause(sleepMs, startTimer, nudge.signal);
    }
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      nudge.abort();
      await running;
    },
    // By default an abort makes an error with a stack each time, and there is a wake for each message.
    wake: () => nudge.abort(null),
  };
}

/** After a round that did something, so that a hold until the past cannot become a tight loop. */
const SHORTEST_SLEEP_MS = 50;
/** Looking around may take so long; then nothing is known. */
const LOOK_MS = 2_000;

export interface TimekeeperOptions {
  readonly store: Pick<Store, 'fire' | 'nextTimer' | 'expireAlerts' | 'dueSessions'>;
  /** Decides about what is due, by the policy in force. */
  readonly decideDue: (seen: Seen, now: number) => DecideDue;
  /** Channels that keep what they are owed when an alert expires. */
  readonly programChannels: () => readonly string[];
  /** Looks whether the person is here, before anything is decided. Without it nothing is known. */
  readonly look?: (sessions: readonly Session[]) => Promise<PresenceOf>;
  /** Asks which of the sessions still run, before anything is decided. Without it nothing is known. */
  readonly askRunning?: (sessions: readonly Session[]) => Promise<RunningOf>;
  /** Looks whether what is due was answered meanwhile, and resolves its alerts. Without it only events say so. */
  readonly lookForAnswers?: (sessions: readonly Session[]) => Promise<void>;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
  /** Called when the outbox may have changed. */
  readonly onReleased: () => void;
}

/** What was found out before a decision. */
export interface Seen {
  readonly presenceOf: PresenceOf;
  readonly runningOf: RunningOf;
}

/**
 * Lets time do its part: steps that fall due, holds that are over, alerts that expire. Wake it after every commit that held
 * something: that may be due earlier than known.
 */
export type Timekeeper = Rounds;

const nobodyLooked: PresenceOf = () => unknownPresence;
const nobodyAsked: RunningOf = () => 'unknown';

export function createTimekeeper({
  store,
  decideDue,
  programChannels,
  look = () => Promise.resolve(nobodyLooked),
  askRunning = () => Promise.resolve(nobodyAsked),
  lookForAnswers = () => Promise.resolve(),
  now,
  random = Math.random,
  startTimer = systemTimer,
  log = silentLog,
  onReleased,
}: TimekeeperOptions): Timekeeper {
  /** Answers how long nothing will be due, ms. */
  async function round(): Promise<number> {
    const next = await store.nextTimer();
    if (next === null) return LONGEST_SLEEP_MS;
    const waitMs = next - now();
    if (waitMs > 0) return waitMs;

    const expired = await store.expireAlerts({ now: now(), exceptChannels: programChannels() });
    const seen = await lookAround();
    const at = now();
    const released = await store.fire(at, decideDue(seen, at));
    if (released + expired > 0) {
      log.debug({ released, expired }, 'Time has come');
      onReleased();
    }
    return SHORTEST_SLEEP_MS;
  }

  async function lookAround(): Promise<Seen> {
    const sessions = await store.dueSessions(now());
    // What falls due meanwhile waits for the next look.
    if (sessions.length === 0) return { presenceOf: () => null, runningOf: () => null };
    const [presenceOf, runningOf] = await Promise.all([
      inTime(() => look(sessions), nobodyLooked, 'Cannot see whether anybody is here'),
      inTime(() => askRunning(sessions), nobodyAsked, 'Cannot ask which sessions still run'),
      inTime(() => lookForAnswers(sessions), undefined, 'Cannot look whether it was answered'),
    ]);
    return { presenceOf, runningOf };
  }

  /** What `find` answers within the time there is, else `otherwise`. */
  async function inTime<Found>(
    find: () => Promise<Found>,
    otherwise: Found,
    trouble: string,
  ): Promise<Found> {
    let cancel: (() => void) | undefined;
    const tooLate = new Promise<Found>((resolve) => {
      cancel = startTimer(LOOK_MS, () => resolve(otherwise));
    });
    try {
      return await Promise.race([find(), tooLate]);
    } catch (error) {
      log.warn({ err: error }, trouble);
      return otherwise;
    } finally {
      cancel?.();
    }
  }

  return createRounds({
    round,
    trouble: 'Cannot look for what is due yet',
    random,
    startTimer,
    log,
  });
}

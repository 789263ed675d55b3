import { type Log, silentLog } from '../platform/log.ts';
import { type PresenceOf, unknownPresence } from '../core/policy.ts';
import type { Session } from '../core/session.ts';
import type { AlertStore } from '../core/alert.ts';
import type { HeldDeliveries } from '../core/outbox.ts';
import type { DecideDue, RunningOf } from '../core/due.ts';
import { createRounds, type Rounds } from '../platform/rounds.ts';
import { type StartTimer, systemTimer, within } from '../platform/time.ts';

/** Sleep after a round with work, so that a hold until a past time cannot become a tight loop. */
const SHORTEST_SLEEP_MS = 50;
/** Timeout of the checks before a decision, ms; then their results are unknown. */
const LOOK_MS = 2_000;

export interface TimekeeperOptions {
  readonly held: Pick<HeldDeliveries, 'releaseDue' | 'nextTimer' | 'dueSessions'>;
  readonly alerts: Pick<AlertStore, 'expire'>;
  readonly decideDue: (seen: Seen, now: number) => DecideDue;
  /** Channels that still get their deliveries when an alert expires. */
  readonly programChannels: () => readonly string[];
  /** Checks the user's presence before a decision. Unset: presence is unknown. */
  readonly look?: (sessions: readonly Session[]) => Promise<PresenceOf>;
  /** Asks which sessions still run before a decision. Unset: it is unknown. */
  readonly askRunning?: (sessions: readonly Session[]) => Promise<RunningOf>;
  /** Checks whether due requests were answered meanwhile, and resolves their alerts. Unset: only events resolve alerts. */
  readonly lookForAnswers?: (sessions: readonly Session[]) => Promise<void>;
  readonly now: () => number;
  readonly random?: () => number;
  readonly startTimer?: StartTimer;
  readonly log?: Log;
  readonly onReleased: () => void;
}

export interface Seen {
  readonly presenceOf: PresenceOf;
  readonly runningOf: RunningOf;
}

const presenceUnknown: PresenceOf = () => unknownPresence;
const runningUnknown: RunningOf = () => 'unknown';

/** Wake it after every commit that held a delivery, which may be due earlier than the planned wake-up. */
export function createTimekeeper({
  held,
  alerts,
  decideDue,
  programChannels,
  look = () => Promise.resolve(presenceUnknown),
  askRunning = () => Promise.resolve(runningUnknown),
  lookForAnswers = () => Promise.resolve(),
  now,
  random = Math.random,
  startTimer = systemTimer,
  log = silentLog,
  onReleased,
}: TimekeeperOptions): Rounds {
  async function round(): Promise<number> {
    const next = await held.nextTimer();
    if (next === null) return Infinity;
    const waitMs = next - now();
    if (waitMs > 0) return waitMs;

    const expired = await alerts.expire({ now: now(), exceptChannels: programChannels() });
    const seen = await lookAround();
    const at = now();
    const released = await held.releaseDue(at, decideDue(seen, at));
    if (released + expired > 0) {
      log.debug({ released, expired }, 'Released due deliveries');
      onReleased();
    }
    return SHORTEST_SLEEP_MS;
  }

  async function lookAround(): Promise<Seen> {
    const sessions = await held.dueSessions(now());
    // Deliveries that fall due during the checks wait for the next round.
    if (sessions.length === 0) return { presenceOf: () => null, runningOf: () => null };
    const [presenceOf, runningOf] = await Promise.all([
      inTime(() => look(sessions), presenceUnknown, 'Cannot check presence'),
      inTime(() => askRunning(sessions), runningUnknown, 'Cannot ask which sessions still run'),
      inTime(
        () => lookForAnswers(sessions),
        undefined,
        'Cannot check whether requests were answered',
      ),
    ]);
    return { presenceOf, runningOf };
  }

  /** Resolves with the result of `find`, or with `otherwise` on an error or a timeout. */
  async function inTime<Found>(
    find: () => Promise<Found>,
    otherwise: Found,
    trouble: string,
  ): Promise<Found> {
    try {
      return (await within(find(), LOOK_MS, startTimer)) ?? otherwise;
    } catch (error) {
      log.warn({ err: error }, trouble);
      return otherwise;
    }
  }

  return createRounds({
    round,
    onTrouble: (err) => log.warn({ err }, 'Cannot process due deliveries yet'),
    random,
    startTimer,
  });
}

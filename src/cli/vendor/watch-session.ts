import {
  ApiConnectionError,
  ResponseShapeError,
  ServerError,
  type Session,
  type SessionPhase,
  sessionPhase,
} from '../../vendor/client/index.ts';
import { nextInterval, type PollInterval } from '../../core/vendor-policy.ts';

/**
 * What a session is waited for.
 *
 * - `idle`: it does not work any more, whether or not it is completed
 * - `complete`: the service says that it is completed
 * - `pending`, `running`, `failed`: it is that
 * - `over`: it is idle or failed
 */
export const sessionGoals = ['idle', 'complete', 'failed', 'pending', 'running', 'over'] as const;
export type SessionGoal = (typeof sessionGoals)[number];

export interface WatchSessionOptions {
  readonly goal: SessionGoal;
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** Asks about the session, within so many ms. */
  readonly get: (withinMs: number | null) => Promise<Session>;
  /** Told whenever the session does something else, the first time included. */
  readonly onPhase: (phase: SessionPhase) => void;
  /** Told of trouble that is waited out. */
  readonly onTrouble: (error: Error) => void;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

export interface WatchedSession {
  readonly session: Session;
  /** `failed`: it failed, so that what is waited for will not come. */
  readonly outcome: 'reached' | 'failed' | 'timed-out';
  readonly waitedMs: number;
}

const pace: PollInterval = { everyMs: 2_000, atMostMs: 30_000 };
/** So much trouble in a row is waited out, once the session was seen. */
const PATIENCE = 10;
/** Where there is an end, the look at that moment may take so long. */
const LAST_LOOK_MS = 5_000;

/**
 * Looks at a session until it is as wanted: often while it changes, seldom while it does not.
 *
 * @throws ApiError as the client does: at once where it cannot be waited out, and after much trouble in a row
 */
export async function watchSession(options: WatchSessionOptions): Promise<WatchedSession> {
  const { goal, timeoutMs, get, onPhase, onTrouble, now, sleep, random } = options;
  const startedAt = now();
  const leftMs = (): number => (timeoutMs ?? Infinity) - (now() - startedAt);
  const look = (): Promise<Session> =>
    get(timeoutMs === null ? null : Math.max(leftMs(), LAST_LOOK_MS));
  let intervalMs = pace.everyMs;
  let trouble = 0;
  let session = await look();
  let seen: string | null = null;
  for (;;) {
    const phase = sessionPhase(session);
    const mark = `${phase} ${session.updatedAt}`;
    intervalMs = nextInterval(pace, intervalMs, mark === seen ? 'still' : 'moving');
    if (seen === null || !seen.startsWith(`${phase} `)) onPhase(phase);
    seen = mark;
    const outcome = outcomeOf(session, goal) ?? (leftMs() <= 0 ? 'timed-out' : null);
    if (outcome !== null) return { session, outcome, waitedMs: Math.round(now() - startedAt) };

    await sleep(Math.min(leftMs(), intervalMs * (1 + 0.1 * random())));
    try {
      session = await look();
      trouble = 0;
    } catch (error) {
      trouble += 1;
      if (!mayPass(error) || trouble >= PATIENCE || leftMs() <= 0) throw error;
      onTrouble(error);
    }
  }
}

function mayPass(error: unknown): error is Error {
  return [ApiConnectionError, ResponseShapeError, ServerError].some(
    (kind) => error instanceof kind,
  );
}

/** Null: it is to be waited on. */
function outcomeOf(session: Session, goal: SessionGoal): 'reached' | 'failed' | null {
  const phase = sessionPhase(session);
  if (isReached(session, phase, goal)) return 'reached';
  return phase === 'failed' ? 'failed' : null;
}

function isReached({ completedAt }: Session, phase: SessionPhase, goal: SessionGoal): boolean {
  switch (goal) {
    case 'idle':
      return phase === 'done';
    case 'complete':
      return phase === 'done' && (completedAt ?? null) !== null;
    case 'over':
      return phase === 'done' || phase === 'failed';
    case 'failed':
    case 'pending':
    case 'running':
      return phase === goal;
  }
}

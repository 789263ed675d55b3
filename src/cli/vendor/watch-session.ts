import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

import type { Command } from 'commander';

import type { PollInterval } from '../../config/poller-schema.ts';
import {
  ApiConnectionError,
  ResponseShapeError,
  ServerError,
  type Session,
  type SessionPhase,
  sessionPhase,
} from '../../vendor/client/index.ts';
import { nextInterval } from '../../vendor/pollers/poller.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import { type CommandContext, type ExitCode, exitCodes, type Run } from '../context.ts';
import { readWord } from '../option-values.ts';
import { readDuration } from '../time-text.ts';
import { type ServiceAccess, withService } from './with-client.ts';

/**
 * The state to wait for.
 *
 * - `idle`: no longer working, completed or not
 * - `complete`: completed according to the service
 * - `pending`, `running`, `failed`: in that phase
 * - `over`: idle or failed
 */
export const sessionGoals = ['idle', 'complete', 'failed', 'pending', 'running', 'over'] as const;
export type SessionGoal = (typeof sessionGoals)[number];

export interface WatchSessionOptions {
  readonly goal: SessionGoal;
  /** Null: no timeout. */
  readonly timeoutMs: number | null;
  /** Fetches the session within this time, ms. */
  readonly get: (withinMs: number | null) => Promise<Session>;
  /** Called on every change of phase, and for the first one. */
  readonly onPhase: (phase: SessionPhase) => void;
  /** Called on failures that are retried. */
  readonly onTrouble: (error: Error) => void;
  /** Monotonic, ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** In [0, 1). */
  readonly random: () => number;
}

export interface WatchedSession {
  readonly session: Session;
  /** `failed`: the session failed and cannot reach the goal. */
  readonly outcome: 'reached' | 'failed' | 'timed-out';
  readonly waitedMs: number;
}

const pollInterval: PollInterval = { everyMs: 2_000, atMostMs: 30_000 };
/** Maximum of consecutive failures to retry once the session was seen. */
const PATIENCE = 10;
/** Timeout of the last request, at the deadline. */
const LAST_LOOK_MS = 5_000;

/**
 * Polls a session until it reaches the goal: often while it changes, seldom while it does not.
 *
 * @throws ApiError as the client does: immediately for permanent errors, else after repeated failures
 */
export async function watchSession(options: WatchSessionOptions): Promise<WatchedSession> {
  const { goal, timeoutMs, get, onPhase, onTrouble, now, sleep, random } = options;
  const startedAt = now();
  const leftMs = (): number => (timeoutMs ?? Infinity) - (now() - startedAt);
  const look = (): Promise<Session> =>
    get(timeoutMs === null ? null : Math.max(leftMs(), LAST_LOOK_MS));
  let intervalMs = pollInterval.everyMs;
  let trouble = 0;
  let session = await look();
  let seen: string | null = null;
  for (;;) {
    const phase = sessionPhase(session);
    const mark = `${phase} ${session.updatedAt}`;
    intervalMs = nextInterval(pollInterval, intervalMs, mark === seen ? 'still' : 'moving');
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

/** Null: keep waiting. */
function outcomeOf(session: Session, goal: SessionGoal): 'reached' | 'failed' | null {
  const phase = sessionPhase(session);
  if (isReached(session, phase, goal)) return 'reached';
  return phase === 'failed' ? 'failed' : null;
}

function isReached({ completedAt }: Session, phase: SessionPhase, goal: SessionGoal): boolean {
  const isDone = phase === 'done';
  if (goal === 'idle') return isDone;
  if (goal === 'complete') return isDone && (completedAt ?? null) !== null;
  return goal === 'over' ? isDone || phase === 'failed' : phase === goal;
}

const exits: Readonly<Record<WatchedSession['outcome'], ExitCode>> = {
  reached: exitCodes.ok,
  failed: exitCodes.failed,
  'timed-out': exitCodes.timedOut,
};

/** Adds `watch` to the sessions command: lets a script wait until a session reaches a state. */
export function defineWatch(parent: Command, run: Run): void {
  parent
    .command('watch <session>')
    .description(`wait until a session reaches a state; exit with ${exitCodes.timedOut} on timeout`)
    .option('--until <word>', sessionGoals.join(', '), readWord(sessionGoals), 'idle')
    .option('--timeout <time>', 'maximum time to wait, such as 30m', readDuration)
    .action(run(withService(watchAndPrint)));
}

async function watchAndPrint(
  context: CommandContext,
  { api }: ServiceAccess,
  sessionId: string,
  { until: goal, timeout }: { readonly until: SessionGoal; readonly timeout?: number },
): Promise<ExitCode> {
  const { output } = context;
  const watched = await watchSession({
    goal,
    timeoutMs: timeout ?? null,
    get: (withinMs) =>
      api.sessions.get({ sessionId }, withinMs === null ? {} : { totalTimeoutMs: withinMs }),
    onPhase: (phase) => output.say(`The session is ${phase}`),
    onTrouble: (error) => output.complain(`Retrying: ${displayLine(error.message)}`),
    now: () => performance.now(),
    sleep: (ms) => delay(ms),
    random: Math.random,
  });
  printWatched(context, watched, goal);
  return exits[watched.outcome];
}

function printWatched(
  { output, json }: CommandContext,
  { session, outcome, waitedMs }: WatchedSession,
  goal: SessionGoal,
): void {
  const { sessionId, status, title = null, completedAt = null, updatedAt } = session;
  const phase = sessionPhase(session);
  if (json) {
    return output.json({
      sessionId,
      title,
      status,
      phase,
      updatedAt: isoTime(updatedAt),
      completedAt: completedAt === null ? null : isoTime(completedAt),
      until: goal,
      outcome,
      waitedMs,
    });
  }
  const name = title === null ? sessionId : `"${title}"`;
  output.line(displayLine(`${name} is ${status} (waited ${durationText(waitedMs)})`));
  if (outcome === 'timed-out') output.complain(`Timed out: the session is not ${goal}`);
  if (outcome === 'failed') output.complain(`The session failed and will not be ${goal}`);
}

/** Null for an invalid date. */
function isoTime(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

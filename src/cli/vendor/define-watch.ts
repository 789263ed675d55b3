import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from 'commander';

import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import { sessionPhase } from '../../vendor/client/index.ts';
import { type CommandAction, type CommandContext, type ExitCode, exitCodes } from '../context.ts';
import { readWord } from '../option-values.ts';
import { readDuration } from '../time-text.ts';
import {
  type SessionGoal,
  sessionGoals,
  type WatchedSession,
  watchSession,
} from './watch-session.ts';
import { remoteAction } from './with-client.ts';

interface Options {
  readonly until: SessionGoal;
  readonly timeout?: number;
}

const exits: Readonly<Record<WatchedSession['outcome'], ExitCode>> = {
  reached: exitCodes.ok,
  failed: exitCodes.failed,
  'timed-out': exitCodes.timedOut,
};

/** Adds `watch` to the sessions command: lets a script wait until a session reaches a state. */
export function defineWatch(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const watch = parent
    .command('watch <session>')
    .description(`wait until a session reaches a state; exit with ${exitCodes.timedOut} on timeout`)
    .option('--until <word>', sessionGoals.join(', '), readWord(sessionGoals), 'idle')
    .option('--timeout <time>', 'maximum time to wait, such as 30m', readDuration);
  remoteAction(watch, run, async (context, { api }) => {
    const [sessionId = ''] = watch.args;
    const { until: goal, timeout: timeoutMs = null } = watch.opts<Options>();
    const { output } = context;
    const watched = await watchSession({
      goal,
      timeoutMs,
      get: (withinMs) =>
        api.sessions.get({ sessionId }, withinMs === null ? {} : { totalTimeoutMs: withinMs }),
      onPhase: (phase) => output.say(`The session is ${phase}`),
      onTrouble: (error) => output.complain(`Retrying: ${displayLine(error.message)}`),
      now: () => performance.now(),
      sleep: (ms) => sleep(ms),
      random: Math.random,
    });
    printWatched(context, watched, goal);
    return exits[watched.outcome];
  });
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

import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Command } from 'commander';

import { sessionPhase } from '../../vendor/client/index.ts';
import { durationText } from '../../text/duration.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { CommandAction, CommandContext } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { readWord } from '../option-values.ts';
import { readDuration } from '../time-text.ts';
import {
  type SessionGoal,
  sessionGoals,
  type WatchedSession,
  watchSession,
} from './watch-session.ts';
import { withClient } from './with-client.ts';

interface Options {
  readonly until: SessionGoal;
  readonly timeout?: number;
}

const exits: Readonly<Record<WatchedSession['outcome'], ExitCode>> = {
  reached: exitCodes.ok,
  failed: exitCodes.failed,
  'timed-out': exitCodes.timedOut,
};

/** Adds `watch` to the command of sessions: waits in a script until a session is as wanted. */
export function defineWatch(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const watch = parent
    .command('watch <session>')
    .description(
      `wait until a session is as wanted; ends with ${exitCodes.timedOut} when the time is over`,
    )
    .option('--until <word>', sessionGoals.join(', '), readWord(sessionGoals), 'idle')
    .option('--timeout <time>', 'wait at most so long, such as 30m', readDuration);
  watch.action(() =>
    run((context) =>
      withClient(context, async ({ api }) => {
        const [sessionId = ''] = watch.args;
        const { until: goal, timeout: timeoutMs = null } = watch.opts<Options>();
        const { output } = context;
        const watched = await watchSession({
          goal,
          timeoutMs,
          get: (withinMs) =>
            api.sessions.get({ sessionId }, withinMs === null ? {} : { totalTimeoutMs: withinMs }),
          onPhase: (phase) => output.say(`The session is ${phase}`),
          onTrouble: (error) => output.complain(`Trying again: ${displayLine(error.message)}`),
          now: () => performance.now(),
          sleep: (ms) => sleep(ms),
          random: Math.random,
        });
        printWatched(context, watched, goal);
        return exits[watched.outcome];
      }),
    ),
  );
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
  if (outcome === 'timed-out') output.complain(`The time is over, and it is not ${goal}`);
  if (outcome === 'failed') output.complain(`It failed, so it will not be ${goal}`);
}

/** Null where no date has that number. */
function isoTime(ms: number): string | null {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

import { randomInt } from 'node:crypto';

import { findProgram } from '../../platform/find-program.ts';
import { pollUntil, pause, systemTimer } from '../../platform/time.ts';
import type { HistoryView } from '../../control/contract.ts';
import type { CommandContext } from '../context.ts';
import { type CanaryEvent, type CanarySubject, isComplete } from './canary.ts';

const POLL_MS = 200;
/** A duplicate arrives within this time. */
const SETTLE_MS = 1_000;
/** Events of an agent arrive at most this long after it ended. */
const AFTER_END_MS = 5_000;
/** Limit of one history request. */
const LOOK_BACK = 200;

/** How an agent that ran without a terminal ended; `absent`: it is not on PATH. */
export type AgentRun = 'ended' | 'absent' | 'stopped' | `status ${number}`;

export interface CanaryRun {
  readonly startedAt: number;
  readonly events: readonly CanaryEvent[];
  readonly run: AgentRun | null;
}

/** A word that is not typed by chance, and does not look like a secret, which would be redacted. */
export function newMarker(): string {
  return `hookbell-canary-${randomInt(100_000, 1_000_000)}`;
}

export function promptWith(marker: string): string {
  return `Answer with the word ${marker} and nothing else`;
}

/** Waits for a person to run the prompt, in one agent or several, until all of it has arrived or time is up. */
export async function awaitCanary(
  { ask }: Pick<CommandContext, 'ask'>,
  subjects: readonly CanarySubject[],
  marker: string,
  waitMs: number,
): Promise<CanaryRun> {
  const startedAt = Date.now();
  const watch = watchEvents(ask, marker, startedAt);
  await pollUntil(
    async () => {
      const events = await watch();
      return subjects.every((subject) => isComplete(subject, events)) || null;
    },
    waitMs,
    POLL_MS,
  );
  await pause(SETTLE_MS, systemTimer);
  return { startedAt, events: await watch(), run: null };
}

/** Runs the prompt in one agent without a terminal, and waits for what it sends. */
export async function runCanary(
  { ask, env }: Pick<CommandContext, 'ask' | 'env'>,
  subject: CanarySubject,
  marker: string,
  waitMs: number,
): Promise<CanaryRun> {
  const startedAt = Date.now();
  const watch = watchEvents(ask, marker, startedAt);
  const [program = '', ...words] = subject.trial.headless;
  const run = await runAgent(program, [...words, promptWith(marker)], env, waitMs);
  if (run === 'absent') return { startedAt, events: [], run };
  await pollUntil(async () => isComplete(subject, await watch()) || null, AFTER_END_MS, POLL_MS);
  await pause(SETTLE_MS, systemTimer);
  return { startedAt, events: await watch(), run };
}

async function runAgent(
  name: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  waitMs: number,
): Promise<AgentRun> {
  const program = await findProgram(name, env['PATH']);
  if (program === null) return 'absent';
  const { execa } = await import('execa');
  const ran = { stdio: 'ignore', env, extendEnv: false, reject: false, timeout: waitMs } as const;
  const { timedOut, exitCode } = await execa(program, words, ran);
  if (timedOut) return 'stopped';
  return exitCode === 0 ? 'ended' : `status ${exitCode ?? -1}`;
}

/** Returns all events after a time; requests each once. */
function watchEvents(
  ask: CommandContext['ask'],
  marker: string,
  since: number,
): () => Promise<readonly CanaryEvent[]> {
  const known = new Map<string, CanaryEvent>();
  return async () => {
    const recent = await ask('GET /v1/history', { query: { limit: String(LOOK_BACK) } });
    for (const entry of recent) {
      if (known.has(entry.eventId) || Date.parse(entry.at) < since) continue;
      const { payload, receivedAt } = await ask('GET /v1/events', { part: entry.eventId });
      known.set(entry.eventId, eventOf(entry, receivedAt, payload.includes(marker)));
    }
    return [...known.values()];
  };
}

function eventOf(
  { agent, event, sessionId, at, decisions }: HistoryView,
  receivedAt: string,
  marked: boolean,
): CanaryEvent {
  return {
    agent,
    event,
    sessionId,
    at: Date.parse(at),
    receivedAt: Date.parse(receivedAt),
    repeated: decisions.some(({ stage, verdict }) => stage === 'classify' && verdict === 'stop'),
    marked,
  };
}

import { randomUUID } from 'node:crypto';

import { decodePayload } from '../agents/decode.ts';
import { traitsOf } from '../agents/registry.ts';
import { openSimulation, type SimulatedMessage } from '../alerts/simulate.ts';
import { type FactKey, type HookFacts, factKeys } from '../core/facts.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { TimelineEntry } from './timeline.ts';

/** Second 0 of a timeline with relative times: Monday, 5 January 2026, 12:00 UTC. */
const EPOCH = Date.UTC(2026, 0, 5, 12);
/** Larger values are Unix time. */
const UNIX_FROM = 1e9;

export interface Replayed {
  /** Messages that would go out, in order. */
  readonly sent: readonly ReplayedMessage[];
  /** Entries that are not events, with the reason. */
  readonly skipped: readonly string[];
}

export interface ReplayedMessage extends SimulatedMessage {
  /** The time of the timeline, s. */
  readonly seconds: number;
  /** The decisions that led to it. */
  readonly reason: string;
}

/** Runs a timeline through dialect, decisions and plans on a simulated clock, with a store in memory. Nothing is sent. */
export async function replayTimeline(
  entries: readonly TimelineEntry[],
  policy: Policy,
): Promise<Replayed> {
  const origin = (entries[0]?.at ?? 0) >= UNIX_FROM ? 0 : EPOCH;
  const { openMemoryStore } = await import('../store/open-store.ts');
  const simulation = await openSimulation({ policy, agents: traitsOf, openStore: openMemoryStore });
  try {
    const skipped: string[] = [];
    for (const entry of entries) {
      const event = eventOf(entry, origin);
      if (typeof event === 'string') skipped.push(`the event at ${entry.at} s: ${event}`);
      else if ((await simulation.feed(event)) === null)
        skipped.push(`the event at ${entry.at} s: its id "${event.id}" occurred before`);
    }
    await simulation.finish();
    const sent: ReplayedMessage[] = [];
    for (const message of simulation.sent()) {
      const reason = (await simulation.decisions(message.eventId))
        .filter(({ stage }) => stage === 'route' || stage === 'plan' || stage === 'throttle')
        .map((decision) => decision.reason)
        .join('; ');
      sent.push({ ...message, reason, seconds: (message.at - origin) / 1_000 });
    }
    return { sent, skipped };
  } finally {
    await simulation.close();
  }
}

/** Returns the event of an entry, or why it is not one. */
function eventOf(entry: TimelineEntry, origin: number): HookEvent | string {
  const decoded = decodePayload({
    payload: Buffer.from(JSON.stringify(entry.payload)),
    facts: factsOf(entry),
  });
  if (!decoded.ok) return decoded.reason;
  const time = Math.round(origin + entry.at * 1_000);
  return { ...decoded.event, id: entry.id ?? randomUUID(), at: time, receivedAt: time };
}

function factsOf({ env, agent, event }: TimelineEntry): HookFacts {
  const facts: Partial<Record<FactKey, string>> = {};
  for (const [name, value] of Object.entries(env)) {
    const key = factKeys.find((candidate) => candidate === name.toLowerCase());
    if (key !== undefined && typeof value === 'string') facts[key] = value;
  }
  return {
    ...facts,
    ...(agent === null ? {} : { agent }),
    ...(event === null ? {} : { event }),
  };
}

import { randomUUID } from 'node:crypto';

import { decodePayload } from '../agents/decode.ts';
import type { Notified } from '../alerts/simulate.ts';
import { createSimulation } from '../alerts/simulate.ts';
import type { FactKey, HookFacts } from '../core/facts.ts';
import { factKeys } from '../core/facts.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { TimelineEntry } from './timeline.ts';

/** Second 0 of a timeline with relative times: Monday, 5 January 2026, 12:00 UTC. */
const EPOCH = Date.UTC(2026, 0, 5, 12);
/** Larger values are Unix time. */
const UNIX_FROM = 1e9;

export interface Replayed {
  /** Messages that would go out, in order, with the seconds of the timeline; without the inbox, which notifies no one. */
  readonly told: readonly (Notified & { readonly seconds: number })[];
  /** Entries that are not events, with the reason. */
  readonly skipped: readonly string[];
}

/** Runs a timeline through dialect, decisions and plans on a simulated clock. Nothing is sent. */
export function replayTimeline(entries: readonly TimelineEntry[], policy: Policy): Replayed {
  const origin = (entries[0]?.at ?? 0) >= UNIX_FROM ? 0 : EPOCH;
  const simulation = createSimulation({ policy });
  const skipped: string[] = [];
  for (const entry of entries) {
    const event = eventOf(entry, origin);
    if (typeof event === 'string') skipped.push(`the event at ${entry.at} s: ${event}`);
    else simulation.feed(event);
  }
  simulation.finish();
  return {
    skipped,
    told: simulation
      .told()
      .filter(({ channel }) => channel !== 'inbox')
      .map((notification) => ({ ...notification, seconds: (notification.at - origin) / 1_000 })),
  };
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

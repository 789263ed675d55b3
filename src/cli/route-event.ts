import { decide } from '../alerts/decide.ts';
import type { DecodedEvent } from '../agents/decode.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Policy } from '../core/policy.ts';
import type { Memory } from '../core/store.ts';

/** Which way an event would take. */
export interface Routing {
  readonly decisions: readonly Decision[];
  /** Who would be told, and how long after the event unless somebody reacts. */
  readonly notify: readonly { readonly channel: string; readonly afterMs: number }[];
}

export interface RoutingOptions {
  readonly policy: Policy;
  readonly now: number;
  /** How long ago the turn of the event began, ms; null when nobody knows. */
  readonly turnMs: number | null;
}

const noMemory: Memory = { session: null, alert: null, duplicateOf: null };

/** Decides about an event as the daemon would if it were the first of its session, and sends nothing. */
export function routeEvent(
  decoded: DecodedEvent,
  { policy, now, turnMs }: RoutingOptions,
): Routing {
  let made = 0;
  const circumstances = { policy, now, newId: () => `${(made += 1)}` };
  const event: HookEvent = { ...decoded, id: 'test', at: now, receivedAt: now };
  const prompted =
    turnMs === null ? null : decide(noMemory, promptBefore(event, turnMs), circumstances).session;
  const effects = decide({ ...noMemory, session: prompted }, event, circumstances);
  return {
    decisions: effects.decisions,
    notify: effects.deliveries.map(({ channel, dueAt }) => ({ channel, afterMs: dueAt - now })),
  };
}

/** The prompt that began the turn: it is what the length of a turn is measured from. */
function promptBefore(event: HookEvent, turnMs: number): HookEvent {
  const at = event.at - turnMs;
  return { ...event, id: 'prompt', at, receivedAt: at, kind: 'prompt', failed: false };
}

import type { TraitsOf } from '../core/agent/agent-traits.ts';
import type { Decision } from '../core/decision.ts';
import { noTraffic } from '../core/due.ts';
import type { HookEvent } from '../core/hook-event.ts';
import { type Policy, unknownPresence } from '../core/policy.ts';
import type { Memory } from '../core/store.ts';
import { decide } from './decide.ts';
import { route, type RouteFacts, type Unfit, unfitConditions } from './route.ts';

/** How an event would be routed. */
export interface Routing {
  readonly decisions: readonly Decision[];
  /** Channels that would be notified, and how long after the event without a reaction. */
  readonly notify: readonly { readonly channel: string; readonly afterMs: number }[];
  /** Names of the plans it takes; empty if no route matches. */
  readonly plans: readonly string[];
  /** Every route, in order, with the conditions that do not hold. */
  readonly tree: readonly RouteBranch[];
}

export interface RouteBranch {
  readonly route: string;
  readonly plan: string;
  readonly taken: boolean;
  /** Conditions that do not hold; empty for a matching route. */
  readonly unfit: readonly Unfit[];
}

export interface RoutingOptions {
  readonly policy: Policy;
  readonly agents: TraitsOf;
  readonly now: number;
  /** How long ago the turn of the event began, ms; null if unknown. */
  readonly turnMs: number | null;
}

const noMemory: Memory = {
  session: null,
  alert: null,
  duplicateOf: null,
  mutes: [],
  traffic: () => noTraffic,
};

/** Decides on an event as the daemon would for the first one of a session; sends nothing. */
export function routeEvent(
  decoded: Omit<HookEvent, 'id' | 'at' | 'receivedAt'>,
  { policy, agents, now, turnMs }: RoutingOptions,
): Routing {
  let made = 0;
  const circumstances = {
    policy,
    agents,
    now,
    presence: unknownPresence,
    newId: () => `${(made += 1)}`,
  };
  const event: HookEvent = { ...decoded, id: 'test', at: now, receivedAt: now };
  const prompted =
    turnMs === null ? null : decide(noMemory, promptBefore(event, turnMs), circumstances).session;
  const effects = decide({ ...noMemory, session: prompted }, event, circumstances);
  const ends = event.kind === 'turn.done' || event.kind === 'turn.failed';
  const facts: RouteFacts = { turn: ends ? { ms: turnMs } : null, session: effects.session, now };
  const { plans } = route(event, facts, policy);
  return {
    decisions: effects.decisions,
    notify: effects.deliveries.map(({ channel, dueAt }) => ({ channel, afterMs: dueAt - now })),
    plans: plans.map(({ name }) => name),
    tree: branches(event, facts, policy),
  };
}

function branches(event: HookEvent, facts: RouteFacts, policy: Policy): readonly RouteBranch[] {
  let isOpen = true;
  return policy.routes.map(({ name, match, plan, also }) => {
    const unfit = unfitConditions(match, event, facts);
    const taken = isOpen && unfit.length === 0;
    if (taken && !also) isOpen = false;
    return { route: name, plan, taken, unfit };
  });
}

/** The prompt that began the turn: the length of a turn is measured from it. */
function promptBefore(event: HookEvent, turnMs: number): HookEvent {
  const at = event.at - turnMs;
  return { ...event, id: 'prompt', at, receivedAt: at, kind: 'prompt', failed: false };
}

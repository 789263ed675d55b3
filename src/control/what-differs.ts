import { type RouteBranch, routeEvent } from '../alerts/route-event.ts';
import type { TraitsOf } from '../core/agent/agent-traits.ts';
import { type Decision, whyNoNews } from '../core/decision.ts';
import { INBOX } from '../core/delivery.ts';
import type { Policy } from '../core/policy.ts';
import type { EventView } from './contract.ts';

/** What would have to change for an event to notify someone. */
export interface WhatDiffers {
  readonly sentence: string;
  /** Every route of the current configuration; null if another stage stopped the event, or it cannot be read. */
  readonly tree: readonly RouteBranch[] | null;
}

/** An event as it was read, to be routed again. */
type ReadEvent = Parameters<typeof routeEvent>[0];

/**
 * What would have to change for an event to notify someone, by the current policy; null if it notified someone, or no
 * decision stopped it.
 *
 * @param again the event, with the policy and the agents' traits by which it is routed again; null if one of them cannot be read
 */
export function whatDiffers(
  event: Pick<EventView, 'decisions' | 'deliveries' | 'kind' | 'machine' | 'receivedAt' | 'turnMs'>,
  again: {
    readonly event: ReadEvent;
    readonly policy: Policy;
    readonly agents: TraitsOf;
  } | null,
): WhatDiffers | null {
  if (event.deliveries.some(({ channel }) => channel !== INBOX)) return null;
  const stop = event.decisions.findLast(({ verdict }) => verdict === 'stop');
  if (stop === undefined) return null;
  if (stop.stage !== 'route') return { sentence: sentenceOf(stop), tree: null };
  const known = whyNoNews(event);
  if (known !== null) return { sentence: `Nothing: it is ${known}`, tree: null };
  if (again === null) return { sentence: routeSentence(null), tree: null };
  const { policy, agents } = again;
  const { tree } = routeEvent(
    { ...again.event, kind: event.kind, machine: event.machine },
    { policy, agents, now: Date.parse(event.receivedAt), turnMs: event.turnMs },
  );
  return { sentence: routeSentence(tree), tree };
}

function sentenceOf({ stage }: Decision): string {
  switch (stage) {
    case 'classify':
      return 'A duplicate does not notify again: explain the first of the two. A hook registered once sends each event once';
    case 'repeat':
      return 'A different question notifies immediately, the same one only after the session has continued';
    case 'plan':
      return 'The plan would have to name a channel, or the condition of its step would have to be met: see "plans" in the configuration';
    case 'mute':
      return '"hookbell mute off" removes a mute; "quiet_hours" and "presence" in the configuration set when else you are not notified';
    case 'relay':
      return '"relay.ring_here: true" in the configuration makes this machine notify as well';
    case 'track':
    case 'resolve':
    case 'route':
    case 'throttle':
    case 'delivery':
      return 'The reason above would have to be different';
  }
}

function routeSentence(tree: readonly RouteBranch[] | null): string {
  if (tree === null) return 'A route would have to match, but the configuration is not valid now';
  const taken = tree.find((branch) => branch.taken);
  if (taken !== undefined) return `With the current configuration, ${taken.route} matches it`;
  return 'One of these routes would have to match';
}

import { decodePayload } from '../agents/decode.ts';
import type { EventView } from '../control/contract.ts';
import type { Decision } from '../core/decision.ts';
import { loadFullConfig } from './read-config.ts';
import type { RouteBranch } from './route-event.ts';
import { routeEvent } from './route-event.ts';

/** What would have to change for an event to notify someone. */
export interface WhatDiffers {
  readonly sentence: string;
  /** Every route of the current configuration; null if another stage stopped the event, or it cannot be read. */
  readonly tree: readonly RouteBranch[] | null;
}

/** Returns null for an event that no decision stopped. */
export async function whatDiffers(event: EventView, config: string): Promise<WhatDiffers | null> {
  const stop = event.decisions.findLast(({ verdict }) => verdict === 'stop');
  if (stop === undefined) return null;
  if (stop.stage !== 'route') return { sentence: sentenceOf(stop), tree: null };
  const tree = await treeOf(event, config);
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

async function treeOf(event: EventView, config: string): Promise<readonly RouteBranch[] | null> {
  const loaded = await loadFullConfig(config);
  const decoded = decodePayload({ payload: Buffer.from(event.payload), facts: event.facts });
  if (!loaded.ok || !decoded.ok) return null;
  const now = Date.parse(event.receivedAt);
  const { policy } = loaded.config;
  return routeEvent(
    { ...decoded.event, machine: event.machine },
    { policy, now, turnMs: event.turnMs },
  ).tree;
}

import { decodePayload } from '../agents/decode.ts';
import type { EventView } from '../control/contract.ts';
import type { Decision } from '../core/decision.ts';
import { loadFullConfig } from './read-config.ts';
import type { RouteBranch } from './route-event.ts';
import { routeEvent } from './route-event.ts';

/** What would have had to be otherwise for somebody to be told of an event. */
export interface WhatDiffers {
  readonly sentence: string;
  /** Every route of the configuration as it is now; null where none was to blame, or none can be read. */
  readonly tree: readonly RouteBranch[] | null;
}

/** Answers null for an event that no decision stopped. */
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
      return 'It is told once: explain the first of the two. A hook that is registered once hands it in once';
    case 'repeat':
      return 'Another question rings at once, the same one again after the session has gone on';
    case 'plan':
      return 'The plan would have to tell somebody, or the condition of its step to hold: see "plans" of the configuration';
    case 'mute':
      return '"hookbell mute off" takes a mute back; "quiet_hours" and "presence" of the configuration say when else you are spared';
    case 'relay':
      return '"relay.ring_here: true" in the configuration lets this machine tell people of it as well';
    case 'track':
    case 'resolve':
    case 'route':
    case 'throttle':
    case 'delivery':
      return 'The reason above would have had to be another one';
  }
}

function routeSentence(tree: readonly RouteBranch[] | null): string {
  if (tree === null) return 'A route would have to fit, but the configuration cannot be used now';
  const taken = tree.find((branch) => branch.taken);
  if (taken !== undefined) return `With the configuration as it is now, ${taken.route} takes it`;
  return 'One of these routes would have to fit';
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

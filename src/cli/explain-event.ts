import { decodePayload } from '../agents/decode.ts';
import { traitsOf } from '../agents/registry.ts';
import type { EventView } from '../control/contract.ts';
import { type WhatDiffers, whatDiffers } from '../control/what-differs.ts';
import { loadFullConfig } from './read-config.ts';

/** What would have to change for an event to notify someone, by a configuration file; null if nothing stopped it. */
export async function explainEvent(event: EventView, config: string): Promise<WhatDiffers | null> {
  const loaded = await loadFullConfig(config);
  const decoded = decodePayload({ payload: Buffer.from(event.payload), facts: event.facts });
  if (!loaded.ok || !decoded.ok) return whatDiffers(event, null);
  const { policy } = loaded.config;
  return whatDiffers(event, { event: decoded.event, policy, agents: traitsOf });
}

import { z } from 'zod';

import type { HistoryStore } from '../core/history.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import { parseJson } from '../platform/json.ts';

/** The payload of an event as parsed JSON; null without the event, undefined for invalid JSON. */
export async function payloadOf(
  { id }: Pick<HookEvent, 'id'>,
  history: Pick<HistoryStore, 'event'>,
): Promise<unknown> {
  const entry = await history.event(id);
  return entry === null ? null : parseJson(new TextDecoder().decode(entry.payload));
}

const payloadSchema = z.object({ page: z.string() });

/** The HTML page that came with a digest, for channels that can show one; null for every other event. */
export async function pageOf(
  { event }: Pick<ClaimedDelivery, 'event'>,
  history: Pick<HistoryStore, 'event'>,
): Promise<string | null> {
  // An agent's event may claim to be a digest: then only its text is used.
  if (event.kind !== 'digest') return null;
  return payloadSchema.safeParse(await payloadOf(event, history)).data?.page ?? null;
}

import { z } from 'zod';

import type { ClaimedDelivery, Store } from '../core/store.ts';

const payloadSchema = z.object({ page: z.string() });

/** The HTML page that came with a digest, for channels that can show one; null for every other event. */
export async function pageOf(
  { event }: Pick<ClaimedDelivery, 'event'>,
  store: Pick<Store, 'event'>,
): Promise<string | null> {
  if (event.kind !== 'digest') return null;
  const entry = await store.event(event.id);
  if (entry === null) return null;
  try {
    const payload: unknown = JSON.parse(new TextDecoder().decode(entry.payload));
    return payloadSchema.safeParse(payload).data?.page ?? null;
  } catch {
    // An agent's event may call itself a digest: then its text is all there is.
    return null;
  }
}

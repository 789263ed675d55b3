import { z } from 'zod';

import type { ClaimedDelivery, Store } from '../core/store.ts';
import { payloadOf } from './payload-of.ts';

const payloadSchema = z.object({ page: z.string() });

/** The HTML page that came with a digest, for channels that can show one; null for every other event. */
export async function pageOf(
  { event }: Pick<ClaimedDelivery, 'event'>,
  store: Pick<Store, 'event'>,
): Promise<string | null> {
  // An agent's event may call itself a digest: then its text is all there is.
  if (event.kind !== 'digest') return null;
  return payloadSchema.safeParse(await payloadOf(event, store)).data?.page ?? null;
}

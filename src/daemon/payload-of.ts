import type { HookEvent } from '../core/hook-event.ts';
import type { Store } from '../core/store.ts';

/** What came with an event, as parsed JSON; null where it is gone or none. */
export async function payloadOf(
  { id }: Pick<HookEvent, 'id'>,
  store: Pick<Store, 'event'>,
): Promise<unknown> {
  const entry = await store.event(id);
  if (entry === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(entry.payload));
  } catch {
    return null;
  }
}

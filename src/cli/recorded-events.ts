import type { EventView } from '../control/contract.ts';
import type { CommandContext } from './context.ts';

const PAGE = 200;

/** Returns the newest `limit` stored events with their payloads, oldest first. */
export async function recordedEvents(
  { ask }: CommandContext,
  limit: number,
): Promise<readonly EventView[]> {
  const found: EventView[] = [];
  let before: string | undefined;
  while (found.length < limit) {
    const page = await ask('GET /v1/history', {
      query: { limit: String(Math.min(PAGE, limit - found.length)), before },
    });
    for (const { eventId } of page) {
      found.push(await ask('GET /v1/events', { part: eventId }));
    }
    before = page.at(-1)?.eventId;
    if (before === undefined) break;
  }
  return found.toReversed();
}

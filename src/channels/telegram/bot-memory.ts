import { join } from 'node:path';

import { z } from 'zod';

import { RecentMap } from '../../platform/recent-map.ts';
import { stateFile } from '../../platform/state-file.ts';

const form = z.object({
  handled: z.object({ id: z.int(), at: z.number() }).nullable(),
  topics: z.array(z.tuple([z.string(), z.int()])),
});

/** Kept by the service (https://core.telegram.org/bots/api#getting-updates); after a week the numbers may begin elsewhere. */
const UPDATES_LAST_MS = 24 * 3_600_000;
const MOST_TOPICS = 500;

export type BotMemory = ReturnType<typeof openBotMemory>;

/** In the state directory; unreadable counts as empty. It prevents a second answer to one press, and a second topic. */
export function openBotMemory(stateDir: string, botId: string, now: () => number) {
  const file = stateFile(join(stateDir, `telegram-${botId}.json`), form);
  const before = file.read();
  let handled = before?.handled ?? null;
  const topics = new RecentMap(MOST_TOPICS, before?.topics);

  function save(): void {
    try {
      file.write({ handled, topics: [...topics] });
    } catch {
      return;
    }
  }

  return {
    /** The newest update that was handled; null: none of those the service may still have. */
    handled: (): number | null =>
      handled !== null && now() - handled.at < UPDATES_LAST_MS ? handled.id : null,
    setHandled(id: number): void {
      handled = { id, at: now() };
      save();
    },
    topic: (session: string): number | null => topics.get(session) ?? null,
    setTopic(session: string, topic: number | null): void {
      if (topic === null) topics.delete(session);
      else topics.set(session, topic);
      save();
    },
  };
}

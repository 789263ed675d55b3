import { createHash } from 'node:crypto';

import type { Clock } from '../core/clock.ts';
import type { HookRecord } from '../core/hook-event.ts';
import type { RaiseSessionEvent } from '../core/session-news.ts';
import { sessionEventRecord } from '../core/session-news.ts';
import type { RaiseEvent } from '../core/source-event.ts';
import { sourceRecord } from '../core/source-event.ts';
import type { Decide, Store } from '../core/store.ts';

export interface RaiseOptions {
  readonly store: Pick<Store, 'accept'>;
  /** The decisions hooks' events pass. */
  readonly decide: Decide;
  /** Takes secrets out where the history has none. */
  readonly prepare: (record: HookRecord) => HookRecord;
  readonly now: Clock;
  readonly onCommitted: () => void;
}

export interface RaiseDoors {
  readonly raise: RaiseEvent;
  /** For what is found out about a session. */
  readonly raiseNews: RaiseSessionEvent;
}

/** The doors for events that no hook brings: from here on they go the way of all events. */
export function createRaise({
  store,
  decide,
  prepare,
  now,
  onCommitted,
}: RaiseOptions): RaiseDoors {
  async function accept(record: HookRecord): Promise<void> {
    const [accepted] = await store.accept([prepare(record)], decide);
    if (accepted === 'committed') onCommitted();
  }
  return {
    raise: (event) => accept(sourceRecord({ ...event, id: hashed(event.id) }, now())),
    raiseNews: (news) => accept(sessionEventRecord({ ...news, id: hashed(news.id) }, now())),
  };
}

/** Ids are compared by their beginnings, which those of sources have in common. */
function hashed(id: string): string {
  const hex = createHash('sha256').update(id).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20, 32),
  ].join('-');
}

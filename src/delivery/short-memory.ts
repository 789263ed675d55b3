import { futureTime } from './future-time.ts';

/** The longest a thing is kept, ms: a clock set back keeps nothing for longer. */
const LONGEST_MS = 3_600_000;
/** What was kept first goes first when there is more. */
const MOST = 1_000;

/** Remembers things for a while, and only so many. */
export interface ShortMemory<Thing> {
  /** Null: not known any more. */
  get(key: string): Thing | null;
  set(key: string, thing: Thing, forMs: number): void;
}

export function createShortMemory<Thing>(now: () => number): ShortMemory<Thing> {
  const kept = new Map<string, { readonly thing: Thing; readonly until: number }>();
  return {
    get(key) {
      const found = kept.get(key);
      if (found === undefined) return null;
      if (futureTime(found.until, LONGEST_MS, now()) > now()) return found.thing;
      kept.delete(key);
      return null;
    },
    set(key, thing, forMs) {
      kept.delete(key);
      kept.set(key, { thing, until: now() + forMs });
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
    },
  };
}

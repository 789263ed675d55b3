import type { Log } from '../core/log.ts';
import type { Entry } from './listing.ts';

export interface Clearing {
  /** Gets a file out of the spool by `action`, now or, if that fails, at the next `retry`. */
  clear(name: string, action: () => void): void;
  /** True for a file that is settled but could not be got out yet. */
  isPending(name: string): boolean;
  retry(entries: readonly Entry[]): void;
}

/**
 * Gets files out of the spool that are settled in the store. One that does not go away (a read-only file system) is
 * not settled again, or it would be read and committed anew every second.
 */
export function createClearing(log: Log): Clearing {
  const pending = new Map<string, () => void>();

  function clear(name: string, action: () => void): void {
    try {
      action();
      pending.delete(name);
    } catch (error) {
      if (!pending.has(name)) log.error({ err: error, name }, 'Cannot clear a file from the spool');
      pending.set(name, action);
    }
  }

  return {
    clear,
    isPending: (name) => pending.has(name),
    retry(entries) {
      if (pending.size === 0) return;
      const present = new Set(entries.map(({ name }) => name));
      for (const [name, action] of pending) {
        if (present.has(name)) clear(name, action);
        else pending.delete(name);
      }
    },
  };
}

import { MAX_BODY } from './wire.ts';

/** The memory for the bodies of requests. */
export interface BodyRoom {
  /**
   * Room for a body in memory. A sender has one at a time: an unfinished one, as of a lost connection, gives way.
   *
   * @param bytes how long it may get
   * @param cancel ends the reading of it
   * @returns null where there is no room now
   */
  reserve(sender: string, bytes: number, cancel: () => void): Reservation | null;
}

interface Reservation {
  /** The body is complete: from now on it does not give way any more. */
  keep(): void;
  release(): void;
}

/** The total size of all bodies being read or processed, bytes: two of the largest. */
const MOST_BYTES = 2 * MAX_BODY;

export function createBodyRoom(): BodyRoom {
  const bodies = new Map<string, { readonly bytes: number; cancel: (() => void) | null }>();
  let used = 0;

  function remove(sender: string): void {
    used -= bodies.get(sender)?.bytes ?? 0;
    bodies.delete(sender);
  }

  return {
    reserve(sender, bytes, cancel) {
      const former = bodies.get(sender);
      if (former?.cancel === null) return null;
      if (used - (former?.bytes ?? 0) + bytes > MOST_BYTES) return null;
      former?.cancel?.();
      remove(sender);
      const share: { readonly bytes: number; cancel: (() => void) | null } = { bytes, cancel };
      bodies.set(sender, share);
      used += bytes;
      return {
        keep() {
          share.cancel = null;
        },
        release() {
          if (bodies.get(sender) === share) remove(sender);
        },
      };
    },
  };
}

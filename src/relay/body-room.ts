import { SMALL_BODY } from './entrance.ts';
import { MAX_BODY } from './wire.ts';

export type BodyRoom = ReturnType<typeof createBodyRoom>;

export interface BodySender {
  readonly name: string;
  /** The person or machine to whom it belongs: large bodies of one get at most half of the room. */
  readonly owner: string;
}

interface Reservation {
  /** The body is complete: from now on it no longer gives way. */
  keep(): void;
  release(): void;
}

interface Share {
  readonly owner: string;
  readonly bytes: number;
  readonly since: number;
  cancel: (() => void) | null;
}

/** The total size of all large bodies being read or processed, bytes: two of the largest … */
const MOST_BYTES = 2 * MAX_BODY;
/** … and that of small ones, because large ones must not keep out the usual events. */
const SMALL_BYTES = 128 * SMALL_BODY;
/** An unfinished body gives way to others after this time, ms. */
const SLOW_MS = 10_000;

/** @param now a monotonic clock, ms */
export function createBodyRoom(now: () => number = () => performance.now()) {
  /** The oldest first. */
  const bodies = new Map<string, Share>();
  /** Of all bodies. Not counted anew for each: a busy hub has thousands at a time. */
  const used = { small: 0, large: 0 };

  const kindOf = ({ bytes }: Pick<Share, 'bytes'>): 'small' | 'large' =>
    bytes > SMALL_BODY ? 'large' : 'small';

  function add(name: string, share: Share): void {
    bodies.set(name, share);
    used[kindOf(share)] += share.bytes;
  }

  function remove(name: string, share: Share): void {
    if (bodies.get(name) !== share) return;
    bodies.delete(name);
    used[kindOf(share)] -= share.bytes;
  }

  function largeOf(owner: string, former: Share | undefined): number {
    let bytes = 0;
    for (const share of bodies.values()) {
      if (share !== former && share.owner === owner && kindOf(share) === 'large')
        bytes += share.bytes;
    }
    return bytes;
  }

  return {
    /**
     * Reserves memory for a body. A sender has one at a time: its unfinished one, as of a lost connection, gives way. If memory
     * is full, bodies that have been unfinished for long give way.
     *
     * @param bytes maximum length
     * @param cancel ends the reading of it
     * @returns null if memory is full
     */
    reserve({ name, owner }: BodySender, bytes: number, cancel: () => void): Reservation | null {
      const former = bodies.get(name);
      if (former?.cancel === null) return null;
      const kind = kindOf({ bytes });
      const isAlike = (share: Share): boolean => share !== former && kindOf(share) === kind;
      if (kind === 'large' && largeOf(owner, former) + bytes > MAX_BODY) return null;
      const givenUp = former !== undefined && kindOf(former) === kind ? former.bytes : 0;
      let excess = used[kind] - givenUp + bytes - (kind === 'large' ? MOST_BYTES : SMALL_BYTES);
      const slow: [string, Share][] = [];
      for (const [other, share] of bodies) {
        if (excess <= 0) break;
        if (!isAlike(share) || share.cancel === null || now() - share.since < SLOW_MS) continue;
        slow.push([other, share]);
        excess -= share.bytes;
      }
      if (excess > 0) return null;
      for (const [other, share] of slow) {
        remove(other, share);
        share.cancel?.();
      }
      former?.cancel?.();
      if (former !== undefined) remove(name, former);
      const share: Share = { owner, bytes, since: former?.since ?? now(), cancel };
      add(name, share);
      return {
        keep() {
          share.cancel = null;
        },
        release() {
          remove(name, share);
        },
      };
    },
  };
}

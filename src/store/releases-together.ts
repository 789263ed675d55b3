import type { NewDelivery } from '../core/delivery.ts';
import { type Counted, isOfTraffic, type Traffic } from '../core/due.ts';
import { isTryout } from '../core/hand-made.ts';
import type { HookEvent, Kind } from '../core/hook-event.ts';
import { callAgainAfter } from './lazy-facts.ts';
import type { Connection, Turn } from './query.ts';
import { latestReleases, type TrafficPlace, trafficOn } from './traffic.ts';

/** The latest releases of a channel, newest first; fewer than requested if no more exist. */
interface Latest {
  readonly asked: number;
  readonly times: readonly number[];
}

/** Messages that go to the outbox by decisions made at the same time, of which none is written before all are made. */
export interface Releases {
  /**
   * The traffic of a channel, with what the decisions before this turn release.
   *
   * @param onEarly called if those may release more: then the decision has to be made again
   */
  trafficOf(place: TrafficPlace, sessionKey: string, turn: Turn, onEarly: () => void): Traffic;
  /** What a decision releases. */
  add(deliveries: readonly NewDelivery[], event: HookEvent): void;
}

export function releasesTogether(connection: Connection, now: number): Releases {
  const released: { readonly place: TrafficPlace; readonly kind: Kind }[] = [];
  let stored: ReturnType<typeof trafficOn> | null = null;
  const latest = new Map<string, Latest>();

  function nthOf(place: TrafficPlace, nth: number, counted: Counted): number | null {
    const key = JSON.stringify([place.channel, place.recipient, counted]);
    const known = latest.get(key);
    if (known === undefined || known.asked < nth) {
      return callAgainAfter(function* read() {
        const times = yield* latestReleases(connection, place, { now, limit: nth, counted });
        latest.set(key, { asked: nth, times });
      });
    }
    return known.times[nth - 1] ?? null;
  }

  return {
    trafficOf(place, sessionKey, turn, onEarly) {
      stored ??= trafficOn(connection, now);
      const traffic = stored(place, sessionKey);
      if (!turn.isAmongOthers) return traffic;
      return {
        ...traffic,
        channel(nth, counted) {
          nthOf(place, nth, counted);
          if (turn.isBehind()) onEarly();
          const more = released.filter(
            (other) => goesTo(other.place, place) && isOfTraffic(other.kind, counted),
          ).length;
          return nth <= more ? now : nthOf(place, nth - more, counted);
        },
      };
    },
    add(deliveries, { sessionId, kind }) {
      if (isTryout(sessionId)) return;
      for (const place of deliveries) if (place.heldFor === null) released.push({ place, kind });
    },
  };
}

/** Without a recipient, a place is the whole channel. */
function goesTo({ channel, recipient }: TrafficPlace, place: TrafficPlace): boolean {
  return channel === place.channel && (place.recipient ?? recipient) === recipient;
}

import type { Counted, Traffic } from '../core/due.ts';
import { isWaiting, type Kind } from '../core/hook-event.ts';
import type { NoisePolicy } from '../core/policy.ts';
import { durationText } from '../text/duration.ts';

const HOUR_MS = 3_600_000;

/** Two agents at work ask for something at the same time every day; with more, a burst becomes one message. */
const WAITS_AT_ONCE = 3;

interface Throttled {
  readonly heldFor: 'burst' | 'budget';
  readonly until: number;
  readonly reason: string;
}

/**
 * Limits how often a channel notifies: the first events of a burst are sent immediately, the rest together when the
 * window is over; beyond the hourly budget, when there is room again; during an outage of the channel, when it is over.
 *
 * News never hold a session that waits for a person: for its limits only other waits count. Waits use up the budgets of
 * news, but do not count in their bursts.
 *
 * @returns null when the message may go out now
 */
export function throttle(
  { channel, session, pausedUntil }: Traffic,
  { burst, perSessionAnHour, perChannelAnHour }: NoisePolicy,
  { kind, now }: { readonly kind: Kind; readonly now: number },
): Throttled | null {
  const until = pausedUntil();
  if (until > now) {
    const reason = `the channel is unavailable until ${new Date(until).toISOString()}, then it is sent together with later events`;
    return { heldFor: 'budget', until, reason };
  }
  const isWait = isWaiting(kind);
  const counted: Counted = isWait ? 'waits' : 'all';
  const budget =
    roomAt((nth) => session(nth, counted), perSessionAnHour, 'this session', now) ??
    roomAt((nth) => channel(nth, counted), perChannelAnHour, 'this channel', now);
  if (budget !== null) return budget;

  const atOnce = isWait ? Math.max(burst.atOnce, WAITS_AT_ONCE) : burst.atOnce;
  const first = channel(atOnce, isWait ? 'waits' : 'news');
  if (first === null || first <= now - burst.windowMs) return null;
  const others = atOnce === 1 ? 'One message was' : `${atOnce} messages were`;
  const within = durationText(burst.windowMs);
  return {
    heldFor: 'burst',
    until: first + burst.windowMs,
    reason: `${others} sent within ${within}, so it is sent together with later events`,
  };
}

/** Null while there is room in the hourly budget. */
function roomAt(
  sent: (nth: number) => number | null,
  budget: number,
  whose: string,
  now: number,
): Throttled | null {
  const oldest = sent(budget);
  if (oldest === null || oldest <= now - HOUR_MS) return null;
  return {
    heldFor: 'budget',
    until: oldest + HOUR_MS,
    reason: `the budget of ${whose} is used up: ${budget} messages an hour`,
  };
}

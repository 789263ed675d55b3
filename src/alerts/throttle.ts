import type { Traffic } from '../core/due.ts';
import type { NoisePolicy } from '../core/policy.ts';
import { durationText } from '../text/duration.ts';

const HOUR_MS = 3_600_000;

interface Throttled {
  readonly heldFor: 'burst' | 'budget';
  readonly until: number;
  readonly reason: string;
}

/**
 * Limits how often a channel notifies: the first events of a burst are sent immediately, the rest together when the
 * window is over; beyond the hourly budget, when there is room again; during an outage of the channel, when it is over.
 *
 * @returns null when the message may go out now
 */
export function throttle(
  { channel, session, pausedUntil }: Traffic,
  { burst, perSessionAnHour, perChannelAnHour }: NoisePolicy,
  now: number,
): Throttled | null {
  const until = pausedUntil();
  if (until > now) {
    const reason = `the channel is unavailable until ${new Date(until).toISOString()}, then it is sent together with later events`;
    return { heldFor: 'budget', until, reason };
  }
  const budget =
    roomAt(session, perSessionAnHour, 'this session', now) ??
    roomAt(channel, perChannelAnHour, 'this channel', now);
  if (budget !== null) return budget;

  const first = channel(burst.atOnce);
  if (first === null || first <= now - burst.windowMs) return null;
  const others = burst.atOnce === 1 ? 'One message was' : `${burst.atOnce} messages were`;
  const within = durationText(burst.windowMs);
  return {
    heldFor: 'burst',
    until: first + burst.windowMs,
    reason: `${others} sent within ${within}, so it is sent together with later events`,
  };
}

/** Null while there is room in the hourly budget. */
function roomAt(
  sent: Traffic['session'],
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

import type { NoisePolicy } from '../core/policy.ts';
import type { Traffic } from '../core/timer.ts';

const HOUR_MS = 3_600_000;

export interface Throttled {
  readonly heldFor: 'burst' | 'budget';
  readonly until: number;
  readonly reason: string;
}

/**
 * Keeps many events from becoming many rings: the first of a burst are told at once, the rest together when the window
 * is over; beyond the budget of an hour, when there is room again; during an outage of the channel, when it is over.
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
    const reason = `The channel takes nothing before ${new Date(until).toISOString()}: told together with what follows`;
    return { heldFor: 'budget', until, reason };
  }
  const budget =
    roomAt(session, perSessionAnHour, 'this session', now) ??
    roomAt(channel, perChannelAnHour, 'this channel', now);
  if (budget !== null) return budget;

  const first = channel(burst.atOnce);
  if (first === null || first <= now - burst.windowMs) return null;
  return {
    heldFor: 'burst',
    until: first + burst.windowMs,
    reason: `${burst.atOnce} within ${burst.windowMs} ms went before it: told together with what follows`,
  };
}

/** Null while there is room in the budget of an hour. */
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
    reason: `The budget of ${whose} is used up: ${budget} messages an hour`,
  };
}

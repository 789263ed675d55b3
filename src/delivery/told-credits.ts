import type { ToldCredits } from '../core/credits-text.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Credits, CreditsAtStop, LookedUp } from '../core/looked-up.ts';

/** The credits of a session when it is told of an event, and how they grew since the last turn that ended before it. */
export function toldCredits(
  { credits, stops }: LookedUp,
  event: Pick<HookEvent, 'id' | 'at'>,
): ToldCredits | null {
  if (credits === null) return null;
  const own = stops.find(({ eventId }) => eventId === event.id);
  const now = own?.credits ?? credits;
  const before = stops.find(({ eventId, at }) => eventId !== event.id && at < event.at);
  return { ...now, growth: before === undefined ? null : growthSince(before, now, event.at) };
}

function growthSince(before: CreditsAtStop, now: Credits, at: number): ToldCredits['growth'] {
  const amount = now.amount - before.credits.amount;
  // The two sums cannot be set against each other, and a sum that shrank was counted anew.
  if (before.credits.source !== now.source || amount <= 0) return null;
  return { amount, sinceMs: at - before.at };
}

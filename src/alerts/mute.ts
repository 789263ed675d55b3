import type { HookEvent } from '../core/hook-event.ts';
import type { Mute } from '../core/policy.ts';

/** The mute that applies to an event on a channel for this recipient, the longest first; null without one. */
export function muteFor(
  mutes: readonly Mute[],
  event: Pick<HookEvent, 'sessionKey' | 'project' | 'agent' | 'kind'>,
  { channel, recipient = null }: { readonly channel: string; readonly recipient?: string | null },
  now: number,
): Mute | null {
  const holding = mutes.filter(
    (mute) =>
      (mute.until === null || mute.until > now) &&
      fits(mute.sessionKey, event.sessionKey) &&
      fits(mute.project, event.project) &&
      fits(mute.agent, event.agent) &&
      fits(mute.kind, event.kind) &&
      fits(mute.channel, channel) &&
      fits(mute.person ?? null, recipient),
  );
  return holding.toSorted((left, right) => endOf(right) - endOf(left))[0] ?? null;
}

function endOf({ until }: Mute): number {
  return until ?? Number.POSITIVE_INFINITY;
}

function fits(wanted: string | null, actual: string | null): boolean {
  return wanted === null || wanted === actual;
}

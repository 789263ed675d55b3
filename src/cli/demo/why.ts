import type { EventDeliveryView, EventView } from '../../core/control.ts';
import { durationText } from '../../core/duration-text.ts';

/** Why a channel rang, as the daemon recorded it: its route, the time that went by, or what it was held for. */
export function reasonOfRing(event: EventView, { step, dueAt }: EventDeliveryView): string {
  const held = event.decisions.findLast(({ stage }) => stage === 'throttle');
  if (held !== undefined) return held.reason;
  if (step === 0) return event.decisions.find(({ stage }) => stage === 'route')?.reason ?? '';
  const waited = durationText(Date.parse(dueAt) - Date.parse(event.at));
  return `Step ${step + 1} of the plan: nobody has reacted within ${waited}`;
}

/** Null while the service has not been asked yet. */
export function reasonOfHold({ decisions }: EventView, channel: string): string | null {
  const isHold = /^The session still runs: /;
  return (
    decisions.find(({ reason }) => isHold.test(reason) && reason.includes(`"${channel}"`))
      ?.reason ?? null
  );
}

export function reasonOfSilence({ reason }: EventDeliveryView): string {
  return reason ?? '';
}

/** Why the pop-up of a session was taken back: what its latest event ended. */
export function reasonOfWithdrawal(events: readonly EventView[]): string {
  const decisions = events.flatMap((event) => event.decisions);
  return decisions.findLast(({ stage }) => stage === 'resolve')?.reason ?? '';
}

import type { HookEvent } from '../core/hook-event.ts';
import type { Policy, QuietHours } from '../core/policy.ts';
import { localTime } from '../core/local-time.ts';
import { endOf, isWithin } from './hours.ts';
import type { PlannedMessage } from './plan.ts';

/**
 * Whether people are not to be disturbed by an event now.
 *
 * @returns when the quiet hours are over, Unix ms; null when it may be told
 */
export function quietUntil(
  quiet: QuietHours | null,
  event: Pick<HookEvent, 'kind'>,
  now: number,
): number | null {
  if (quiet === null || quiet.letThrough.includes(event.kind)) return null;
  return endOfQuietHours(quiet, now);
}

/** When the present quiet hours end, Unix ms; null outside of them. */
export function endOfQuietHours(quiet: QuietHours | null, now: number): number | null {
  if (quiet === null || !isWithin(quiet, now) || !beganOnItsDay(quiet, now)) return null;
  return endOf(quiet, now);
}

/** After midnight the night still belongs to the day on which it began. */
function beganOnItsDay({ days, from, to, timezone }: QuietHours, now: number): boolean {
  if (days === null) return true;
  const { minutes, weekday } = localTime(now, timezone);
  const isNextMorning = from >= to && minutes < to;
  return days.includes(isNextMorning ? (weekday + 6) % 7 : weekday);
}

/** During quiet hours that name other channels, those take the place of what people would have been told by at once. */
export function quietChannels(
  messages: readonly PlannedMessage[],
  {
    policy,
    event,
    now,
  }: { readonly policy: Policy; readonly event: HookEvent; readonly now: number },
): readonly PlannedMessage[] {
  const { quietHours, machineChannels } = policy;
  if (quietHours?.meanwhile.type !== 'channels' || quietUntil(quietHours, event, now) === null) {
    return messages;
  }
  const first = messages.find(({ afterMs }) => afterMs === 0);
  const known = messages.filter(({ afterMs }) => afterMs === 0).map(({ channel }) => channel);
  const added = quietHours.meanwhile.channels.filter((channel) => !known.includes(channel));
  if (first === undefined || known.every((channel) => machineChannels.includes(channel))) {
    return messages;
  }
  return [...messages, ...added.map((channel) => ({ ...first, channel }))];
}

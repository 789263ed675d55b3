import type { HookEvent } from '../core/hook-event.ts';
import type { Policy, QuietHours } from '../core/policy.ts';
import { localTime } from '../core/local-time.ts';
import { endOf, isWithin } from './hours.ts';
import type { PlannedMessage } from './plan.ts';

/** Windows follow one another at most this often before they are taken for endless: a week of seven nights and days, twice. */
const MOST_WINDOWS = 28;

/** The quiet hours of a moment. */
export interface Quiet {
  /** What happens meanwhile; of several windows, the first in the configuration decides. */
  readonly meanwhile: QuietHours['meanwhile'];
  /** When they are over, Unix ms. Windows that follow one another without a gap count as one. */
  readonly until: number;
}

/**
 * Whether people are not to be disturbed by an event now.
 *
 * @returns null when a notification may be sent
 */
export function quietFor(
  windows: readonly QuietHours[],
  event: Pick<HookEvent, 'kind'>,
  now: number,
): Quiet | null {
  return quietAt(
    windows.filter(({ letThrough }) => !letThrough.includes(event.kind)),
    now,
  );
}

/** The present quiet hours, whatever they let through; null outside of them. */
export function quietAt(windows: readonly QuietHours[], now: number): Quiet | null {
  const first = windows.find((window) => holds(window, now));
  if (first === undefined) return null;
  let until = endOf(first, now);
  for (let hops = 0; hops < MOST_WINDOWS; hops += 1) {
    const next = windows.find((window) => holds(window, until));
    if (next === undefined) break;
    until = endOf(next, until);
  }
  return { meanwhile: first.meanwhile, until };
}

function holds(window: QuietHours, at: number): boolean {
  return isWithin(window, at) && beganOnItsDay(window, at);
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
  const { quietHours, programChannels } = policy;
  const { meanwhile } = quietFor(quietHours, event, now) ?? {};
  if (meanwhile?.type !== 'channels') return messages;
  const first = messages.find(({ afterMs }) => afterMs === 0);
  const known = messages.filter(({ afterMs }) => afterMs === 0).map(({ channel }) => channel);
  const added = meanwhile.channels.filter((channel) => !known.includes(channel));
  if (first === undefined || known.every((channel) => programChannels.includes(channel))) {
    return messages;
  }
  return [...messages, ...added.map((channel) => ({ ...first, channel }))];
}

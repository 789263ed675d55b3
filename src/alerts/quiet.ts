import type { HookEvent } from '../core/hook-event.ts';
import type { HourRange, Policy, QuietHours } from '../core/policy.ts';
import { localTime } from '../platform/time.ts';
import type { PlannedMessage } from './plan.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** A range for people: "22:00-07:30 Europe/Berlin". */
export function rangeText({ from, to, timezone }: HourRange): string {
  return `${clockText(from)}-${clockText(to)} ${timezone}`;
}

function clockText(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** Whether an instant lies in the range; a range whose ends are equal is the whole day. */
export function isWithin({ from, to, timezone }: HourRange, at: number): boolean {
  const { minutes } = localTime(at, timezone);
  if (from < to) return minutes >= from && minutes < to;
  return minutes >= from || minutes < to;
}

/** Time changes are at most two hours: https://data.iana.org/time-zones/tz-link.html (Antarctica/Troll). */
const LARGEST_SHIFT = 120;

/**
 * The end of a range that contains `at`: the first minute after it that is outside, Unix ms. Right on the days on which
 * the clock is changed, also where the end does not exist on that day (02:30 in spring). A range that is the whole day
 * is over when it would begin anew.
 */
export function rangeEnd(range: HourRange, at: number): number {
  const start = at - (at % MINUTE_MS);
  const { minutes } = localTime(start, range.timezone);
  const missing = (range.to - minutes + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  const expected = start + missing * MINUTE_MS;
  const isEnd = (instant: number): boolean =>
    localTime(instant, range.timezone).minutes === range.to;
  if (isEnd(expected)) return expected;
  // The clock changes within the range, which may end it early: set back, it can show a time before the start.
  const isWholeDay = range.from === range.to;
  const latest = expected + LARGEST_SHIFT * MINUTE_MS;
  const earliest = isWholeDay ? expected - LARGEST_SHIFT * MINUTE_MS : start;
  let end = Math.max(earliest, start) + MINUTE_MS;
  while (end < latest && (isWholeDay ? !isEnd(end) : isWithin(range, end))) end += MINUTE_MS;
  return end;
}

/** More consecutive windows than this count as endless: a week of seven nights and days, twice. */
const MOST_WINDOWS = 28;

/** The quiet hours of a moment. */
export interface Quiet {
  /** Handling of notifications; of several windows, the first in the configuration decides. */
  readonly meanwhile: QuietHours['meanwhile'];
  /** When they are over, Unix ms. Windows that follow one another without a gap count as one. */
  readonly until: number;
}

/**
 * Returns the quiet hours that apply to an event now.
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

/** The current quiet hours, whatever kinds they let through; null outside of them. */
export function quietAt(windows: readonly QuietHours[], now: number): Quiet | null {
  const first = windows.find((window) => includesTime(window, now));
  if (first === undefined) return null;
  let until = rangeEnd(first, now);
  for (let hops = 0; hops < MOST_WINDOWS; hops += 1) {
    const next = windows.find((window) => includesTime(window, until));
    if (next === undefined) break;
    until = rangeEnd(next, until);
  }
  return { meanwhile: first.meanwhile, until };
}

/** Hours that begin on these days of the week, 0 = Sunday; null: every day. */
type DayHours = HourRange & Pick<QuietHours, 'days'>;

/** Whether an instant lies in the range on one of its days. */
export function includesTime(window: DayHours, at: number): boolean {
  return isWithin(window, at) && beganOnItsDay(window, at);
}

/** After midnight the night still belongs to the day on which it began. */
function beganOnItsDay({ days, from, to, timezone }: DayHours, now: number): boolean {
  if (days === null) return true;
  const { minutes, weekday } = localTime(now, timezone);
  const isNextMorning = from >= to && minutes < to;
  return days.includes(isNextMorning ? (weekday + 6) % 7 : weekday);
}

/** During quiet hours that name other channels, these replace the first channels for people. */
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
  // What goes to one person keeps to that person's quiet hours.
  const due = messages.filter(({ afterMs, recipient }) => afterMs === 0 && recipient === undefined);
  const [first] = due;
  const planned = due.map(({ channel }) => channel);
  const added = meanwhile.channels.filter((channel) => !planned.includes(channel));
  if (first === undefined || planned.every((channel) => programChannels.includes(channel))) {
    return messages;
  }
  return [...messages, ...added.map((channel) => ({ ...first, channel }))];
}

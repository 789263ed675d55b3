import type { PersonSettings } from '../../core/hub/person-settings.ts';
import { UsageError } from '../../platform/errors.ts';

/** In the order of their numbers, 0 = Sunday. */
export const weekdayNames: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const RANGE = /^([01]?\d|2[0-3]):([0-5]\d)-([01]?\d|2[0-3]):([0-5]\d)$/;

type QuietWindow = NonNullable<PersonSettings['quiet']>[number];

/** Reads quiet hours: ranges such as "22:00-07:00", "none", or "hub" (null). @throws UsageError for anything else */
export function readQuietHours(
  hours: readonly string[],
  { days, discard }: { readonly days?: string; readonly discard?: true },
): PersonSettings['quiet'] {
  const [only] = hours;
  if (hours.length === 1 && only === 'hub') return null;
  if (hours.length === 1 && only === 'none') return [];
  return hours.map((text): QuietWindow => {
    const [, fromHour, fromMinute, toHour, toMinute] = RANGE.exec(text) ?? [];
    if (toMinute === undefined) {
      throw new UsageError(`The quiet hours are "${text}", expected a range such as 22:00-07:00`);
    }
    const from = Number(fromHour) * 60 + Number(fromMinute);
    const to = Number(toHour) * 60 + Number(toMinute);
    const begin = days === undefined ? null : readDays(days);
    if (from === to && (begin === null || begin.length === weekdayNames.length)) {
      throw new UsageError(`The quiet hours "${text}" never end`, {
        hint: 'Set another end or, for whole days, add --days sat,sun',
      });
    }
    const meanwhile = discard === true ? 'discard' : 'hold';
    return { from, to, days: begin, letThrough: [], meanwhile };
  });
}

function readDays(text: string): number[] {
  const days = text.split(',').map((name) => {
    const day = weekdayNames.indexOf(name.trim().toLowerCase());
    if (day >= 0) return day;
    throw new UsageError(`The day is "${name}", expected one of ${weekdayNames.join(', ')}`);
  });
  return [...new Set(days)];
}

/** A window for people: "22:00-07:00 on fri, sat". */
export function windowText({ from, to, days, meanwhile }: QuietWindow): string {
  const range = [from, to].map(clock).join('-');
  const on = days === null ? '' : ` on ${days.map((day) => weekdayNames[day] ?? '').join(', ')}`;
  return `${range}${on}${meanwhile === 'discard' ? ', discarding' : ''}`;
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

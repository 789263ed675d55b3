import type { DayRange } from '../utc-day.ts';
import { addDays, isUtcDay } from '../utc-day.ts';

/**
 * A place in a walk over the windows of a range. The service's own cursor belongs to one window alone: it answers 400 to any
 * other question.
 */
export interface WindowPlace {
  /** The window the walk is in, and the service's cursor there; null at the start of the next window. */
  readonly inside: { readonly window: DayRange; readonly cursor: string } | null;
  /** First day of what is left after that. */
  readonly from: string;
}

const FORM = /^window:([\d-]{10})(?::([\d-]{10}):([^]*))?$/;

/** The place as one text that leads over the whole range; `readWindowCursor` reads it. */
export function windowCursor({ inside, from }: WindowPlace): string {
  if (inside === null) return `window:${from}`;
  const { window, cursor } = inside;
  return `window:${window.startDate}:${window.endDate}:${cursor}`;
}

/** Null for what `windowCursor` did not make, or not of this range. */
export function readWindowCursor(text: string, range: DayRange): WindowPlace | null {
  const [, start = '', end, cursor = ''] = FORM.exec(text) ?? [];
  const isInRange = (day: string): boolean =>
    isUtcDay(day) && day >= range.startDate && day <= range.endDate;
  if (!isInRange(start)) return null;
  if (end === undefined) return { inside: null, from: start };
  if (!isInRange(end) || end < start) return null;
  const window = { startDate: start, endDate: end };
  return { inside: { window, cursor }, from: addDays(end, 1) };
}

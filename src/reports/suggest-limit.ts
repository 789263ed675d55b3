import type { Series } from './series.ts';

/** Room above what was used. */
const ROOM = 1.25;
const MONTH_DAYS = 31;

/** What somebody used, and a limit that would leave room for it. */
export interface Suggestion {
  /** Standard credits in the days that are known. */
  readonly used: number;
  /** For a month of 31 days at this pace and a quarter more, rounded up to two digits; null: nothing was used. */
  readonly limit: number | null;
}

/** @param series the days to go by */
export function suggestLimit(series: Series | undefined): Suggestion {
  const days = [...(series?.values() ?? [])];
  const used = days.reduce((sum, credits) => sum + credits, 0);
  if (used === 0) return { used, limit: null };
  const wanted = (used / days.length) * MONTH_DAYS * ROOM;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  return { used, limit: Math.ceil(wanted / unit) * unit };
}

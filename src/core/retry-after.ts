const MIN_MS = 1_000;
const MAX_MS = 3_600_000;

/**
 * Reads a Retry-After header: seconds or an HTTP date (RFC 9110, section 10.2.3), clamped to 1 s … 1 h so that a
 * broken value neither makes a tight loop nor silences a channel for days.
 *
 * @returns ms to wait, or null when the header is missing or says nothing usable ("abc", "-1")
 */
export function parseRetryAfter(header: string | null | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (text === '') return null;
  if (/^\d+(\.\d+)?$/.test(text)) return clamp(Number(text) * 1_000);
  // Date.parse makes a date of nearly anything ("-1", "abc 1"), but all three forms of an HTTP date begin with a day.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text)) return null;
  // The form of asctime() names no zone and means UTC (RFC 9110, section 5.6.7); Date.parse would take local time.
  const at = Date.parse(/(?:gmt|utc|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : clamp(at - now);
}

function clamp(ms: number): number {
  return Math.min(MAX_MS, Math.max(MIN_MS, ms));
}

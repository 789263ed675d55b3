/** A usage limit, as the words of a failure describe it. */
export interface LimitWords {
  /** What was hit, such as "session limit" or "weekly limit"; never empty. */
  readonly what: string;
  /** When it ends, Unix ms; null: the words do not say that for certain. */
  readonly until: number | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Longer texts are not looked through: a limit is named at the beginning. */
const MOST_TEXT = 4_096;
/** A request that is refused for a shorter time is a moment's congestion, which agents wait out. */
const SHORTEST_MS = 5 * MINUTE_MS;
/** A time of day this shortly before the failure may mean today or tomorrow. */
const UNCLEAR_MS = 15 * MINUTE_MS;
/** A date without a year is at most this far ahead: a limit lasts a month at most. */
const LONGEST_MS = 45 * DAY_MS;

/** Limits of use, in the words of Claude Code, Codex, Gemini CLI, Copilot CLI, droid, Qwen Code and the services behind OpenCode. */
const limits = [
  /(?:hit|reached|exceeded|exhausted)\s+your\s+((?:[\w’'-]+\s+){0,4}?(?:limits?|quota|cap|capacity))\b/i,
  /\b((?:usage|session|weekly|daily|monthly|spend|credit|quota|opus|sonnet|fable|\d+[- ]hour)\s+limit)\s+(?:was\s+|has been\s+)?(?:reached|exceeded|hit)\b/i,
  /\b((?:usage|daily|weekly|monthly|free|current|api)?\s?quota)\s+(?:was\s+|has been\s+)?(?:exceeded|exhausted|reached)\b/i,
  /\bout of ((?:usage |extra )?(?:usage|credits))\b/i,
];
/** Refusals that may last a second or a day. */
const rateLimit = /\brate[- ]?limit/i;
/** Limits of one request, not of use. */
const ofRequest = /context|token|output|upload|file|image|size|turn|length|retr/i;

/**
 * Recognises a usage limit in the words of a failure, and reads when it ends: "resets 3:45pm (Europe/Berlin)", "try again
 * in 5 days 22 hours", "try again at Jul 5th, 2026 8:19 PM", "usage limit reached|1760000400". Other languages and vague or
 * contradicting times are unknown.
 *
 * @param at when the failure was reported, Unix ms
 * @param zone the time zone of times without one; null: unknown
 * @returns null if the failure is none
 */
export function usageLimitIn(words: string, at: number, zone: string | null): LimitWords | null {
  const text = words.slice(0, MOST_TEXT);
  const named = limits
    .map((pattern) => pattern.exec(text)?.[1]?.trim().toLowerCase())
    .find((name) => name !== undefined && !ofRequest.test(name));
  const until = endIn(text, at, zone);
  if (named !== undefined) return { what: nameOf(named), until };
  const isLong = until !== null && until - at > SHORTEST_MS;
  return isLong && rateLimit.test(text) ? { what: 'rate limit', until } : null;
}

/** The words that a name is made of: others may be anyone's, and a notification without texts shows the name, too. */
const known =
  /^(?:\d+|hours?|\d+-hour|session|usage|daily|weekly|monthly|rate|spend|credits?|free|opus|sonnet|fable|limits?|quota|cap|capacity)$/;

function nameOf(named: string): string {
  const words = named.split(/\s+/).filter((word) => known.test(word));
  const isBare =
    words.length === 0 || (words.length === 1 && /^(?:limits?|cap|usage)$/.test(words[0] ?? ''));
  return isBare ? 'usage limit' : words.join(' ');
}

/** Words before a time. */
const anchor =
  /\b(?:resets?|reset|try(?:ing)? again|retry|available again)\b:?\s*(?:(at|on|in|after)\b)?\s*/gi;

/** Null also where two times differ: which of them counts is not certain. */
function endIn(text: string, at: number, zone: string | null): number | null {
  const stamp = /\blimit reached\|(\d{10})(?!\d)/.exec(text)?.[1];
  if (stamp !== undefined) return laterThan(at, Number(stamp) * 1_000);
  const found = [...text.matchAll(anchor)].flatMap((match) => {
    const rest = text.slice(match.index + match[0].length);
    const word = match[1]?.toLowerCase();
    const time = word === 'in' || word === 'after' ? durationAt(rest, at) : timeAt(rest, at, zone);
    return time === null ? [] : [time];
  });
  const [first = null, ...others] = found;
  return others.every((other) => other === first) ? first : null;
}

function laterThan(at: number, time: number): number | null {
  return time > at && time - at < 400 * DAY_MS ? time : null;
}

const units: Readonly<Record<string, number>> = { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS, s: 1_000 };
const part =
  /^\s*(?:,|and\b)?\s*(\d{1,6})\s*(days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![a-z])/i;

/** "5 days 22 hours 11 minutes", "2h10m33s", "2733 seconds". */
function durationAt(words: string, at: number): number | null {
  let rest = words;
  let total = 0;
  for (;;) {
    const [whole, count, unit] = part.exec(rest) ?? [];
    if (whole === undefined || unit === undefined) break;
    total += Number(count) * (units[unit.charAt(0).toLowerCase()] ?? 0);
    rest = rest.slice(whole.length);
  }
  return total === 0 ? null : laterThan(at, at + total);
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const iso = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))/;
const clock =
  /^(?:([A-Z][a-z]{2})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:,? (\d{4}))?(?:,| at|, at)? )?(\d{1,2})(?::(\d\d))?(?:\s?([apAP])\.?[mM]\b\.?)?(?:\s*\(([\w+/-]+)\)|\s+(?:GMT|UTC)([+-]\d{1,2}(?::?\d\d)?)?(?![\w+-]))?(?=\s*(?:$|[.,;·∙|)\]\n"'}]|or\b|and\b))/;

/** A time of day, with or without a date and a zone, as English programs write it. */
function timeAt(words: string, at: number, zone: string | null): number | null {
  const exact = iso.exec(words)?.[1];
  if (exact !== undefined) return laterThan(at, Date.parse(exact));
  const found = clock.exec(words);
  if (found === null) return null;
  const [whole, monthName, day, year, hourText, minuteText, half, named, offset] = found;
  // A bare number is not a time.
  if (half === undefined && minuteText === undefined) return null;
  const hour = Number(hourText);
  const minute = Number(minuteText ?? 0);
  if (minute > 59 || hour > (half === undefined ? 23 : 12) || (half !== undefined && hour === 0))
    return null;
  const inDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const isUtc = /\b(?:GMT|UTC)\b/.test(whole) && named === undefined;
  const local = isUtc ? fixedZone(offset) : localIn(named === undefined ? zone : zoneNamed(named));
  if (local === null) return null;
  const today = local.fields(at);
  if (monthName === undefined || day === undefined) {
    const times = [-1, 0, 1].map((days) =>
      local.instant({ ...today, day: today.day + days, hour: inDay, minute }),
    );
    // Just past: the words are as old as the minute, or mean tomorrow.
    if (times.some((time) => time !== null && time <= at && at - time < UNCLEAR_MS)) return null;
    return times.find((time) => time !== null && time > at) ?? null;
  }
  const month = months.indexOf(monthName.toLowerCase());
  if (month === -1) return null;
  const years = year === undefined ? [today.year, today.year + 1] : [Number(year)];
  // Otherwise February 30 would be a day in March.
  if (new Date(Date.UTC(2024, month, Number(day))).getUTCMonth() !== month) return null;
  const time = years
    .map((one) => local.instant({ year: one, month, day: Number(day), hour: inDay, minute }))
    .find((one) => one !== null && one > at);
  if (time === undefined || time === null) return null;
  return year === undefined && time - at > LONGEST_MS ? null : laterThan(at, time);
}

/** Abbreviations of zones are ambiguous. */
function zoneNamed(name: string): string | null {
  return /^(?:UTC|GMT|[A-Z]\w+\/[\w+/-]+)$/.test(name) ? name : null;
}

/** The zone at an offset from UTC, such as "-3" or "+05:30"; Node 20 knows none by such a name. */
function fixedZone(offset = '+0'): Local | null {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{1,2}?):?(\d\d)?$/.exec(offset) ?? [];
  if (hours === undefined) return null;
  const aheadMs = (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS) * (sign === '-' ? -1 : 1);
  return {
    fields(at) {
      const date = new Date(at + aheadMs);
      return {
        year: date.getUTCFullYear(),
        month: date.getUTCMonth(),
        day: date.getUTCDate(),
        hour: date.getUTCHours(),
        minute: date.getUTCMinutes(),
      };
    },
    instant: (wanted) => asUtc(wanted) - aheadMs,
  };
}

interface Fields {
  readonly year: number;
  /** 0 is January. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

interface Local {
  readonly fields: (at: number) => Fields;
  /** The later one where the clocks repeat it; null where they skip it. */
  readonly instant: (fields: Fields) => number | null;
}

/** Null: there is no such zone. */
function localIn(timeZone: string | null): Local | null {
  if (timeZone === null) return null;
  const options = {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', options);
  } catch {
    return null;
  }
  const fields = (at: number): Fields => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return {
      year: of('year'),
      month: of('month') - 1,
      day: of('day'),
      hour: of('hour'),
      minute: of('minute'),
    };
  };
  return {
    fields,
    instant(wanted) {
      const utc = asUtc(wanted);
      const instants = [-DAY_MS, DAY_MS].map(
        (away) => utc - (asUtc(fields(utc + away)) - (utc + away)),
      );
      const fitting = instants.filter((time) => asUtc(fields(time)) === utc);
      return fitting.length === 0 ? null : Math.max(...fitting);
    },
  };
}

function asUtc({ year, month, day, hour, minute }: Fields): number {
  return Date.UTC(year, month, day, hour, minute);
}

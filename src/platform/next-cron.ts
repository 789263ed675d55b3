/** Lowest and highest value of each field: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). */
const fields = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;

const HOUR_MS = 3_600_000;
/** A schedule that matches no day within a year and its leap day is none. */
const LONGEST_DAYS = 366;

/**
 * When a cron expression of five fields next matches, in the time zone of this process, Unix ms. Lists, ranges and steps
 * are read, names are not; with both kinds of days restricted, either is enough (POSIX crontab). A time that a change of
 * the clocks skips does not match.
 *
 * @param after the match is later than this, Unix ms
 * @returns null for anything that cannot be read for certain, or that never matches
 */
export function nextCron(expression: string, after: number): number | null {
  const words = expression.trim().split(/\s+/);
  const [minutes, hours, days, months, weekdays, more] = words.map((word, at) => {
    const [low, high] = fields[at] ?? [0, -1];
    return valuesOf(word, low, high);
  });
  if (!minutes || !hours || !days || !months || !weekdays || more !== undefined) return null;
  const anyDay = days.size === 31;
  const anyWeekday = [0, 1, 2, 3, 4, 5, 6].every(
    (day) => weekdays.has(day) || weekdays.has(day + 7),
  );
  const isDay = (date: Date): boolean => {
    const inMonth = days.has(date.getDate());
    const inWeek = weekdays.has(date.getDay()) || (date.getDay() === 0 && weekdays.has(7));
    return anyDay || anyWeekday ? inMonth && inWeek : inMonth || inWeek;
  };
  const first = new Date(after);
  for (let offset = 0; offset <= LONGEST_DAYS; offset += 1) {
    const day = new Date(first.getFullYear(), first.getMonth(), first.getDate() + offset);
    if (!months.has(day.getMonth() + 1) || !isDay(day)) continue;
    const matches = [...hours].flatMap((hour) =>
      [...minutes].flatMap((minute) => timesOf(day, hour, minute)),
    );
    const next = Math.min(...matches.filter((at) => at > after));
    if (Number.isFinite(next)) return next;
  }
  return null;
}

/** The instants with this local time: none where the clocks skip it, two where they repeat it. */
function timesOf(day: Date, hour: number, minute: number): readonly number[] {
  const at = new Date(day.getFullYear(), day.getMonth(), day.getDate(), hour, minute).getTime();
  return [at, at + HOUR_MS].filter((time) => {
    const local = new Date(time);
    return local.getHours() === hour && local.getMinutes() === minute;
  });
}

/** Null: the word cannot be read. */
function valuesOf(word: string, low: number, high: number): ReadonlySet<number> | null {
  const values = new Set<number>();
  for (const part of word.split(',')) {
    const found = /^(?:(\*)|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/.exec(part);
    if (found === null) return null;
    const [, all, from, to, step] = found;
    const begin = all === undefined ? Number(from) : low;
    const end = all === undefined ? Number(to ?? from) : high;
    const by = Number(step ?? 1);
    // "5/15" means different things to different programs.
    const isUnclear = all === undefined && to === undefined && step !== undefined;
    if (isUnclear || by < 1 || begin > end || begin < low || end > high) return null;
    for (let value = begin; value <= end; value += by) values.add(value);
  }
  return values;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Local time of an instant: minutes since midnight, and the day of the week (0 = Sunday). */
export function localTime(
  at: number,
  timezone: string,
): { readonly minutes: number; readonly weekday: number } {
  const parts = new Map(
    formatterOf(timezone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  );
  const minutes = Number(parts.get('hour')) * 60 + Number(parts.get('minute'));
  return { minutes, weekday: weekdays.indexOf(parts.get('weekday') ?? '') };
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Building one takes longer than a decision may. */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  const known = formatters.get(timezone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
  formatters.set(timezone, made);
  return made;
}

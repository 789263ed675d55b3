const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long something lasts, for people: "4 min". Coarse, since ages are read at a glance. */
export function ageText(ms: number): string {
  const age = Math.max(0, ms);
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)} h`;
  return `${Math.floor(age / DAY)} d`;
}

/** How long ago a time was, for people. */
export function ageSince(iso: string, now: number): string {
  return ageText(now - Date.parse(iso));
}

/** The time on the clock of this machine, with its day unless that is today. */
export function localTime(iso: string, now: number): string {
  const at = new Date(iso);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':');
  const day = dayOf(at);
  return day === dayOf(new Date(now)) ? time : `${day} ${time}`;
}

function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

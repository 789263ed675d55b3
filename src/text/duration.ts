/** The form of a length of time in options and in the configuration. */
export const DURATION =
  /^(?=\d)(?:(\d{1,9})d)?(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;
const UNITS_MS = [86_400_000, 3_600_000, 60_000, 1_000, 1];

/** Reads "500ms", "30s", "1h30m" or "90d" as ms; null for anything else. */
export function parseDuration(text: string): number | null {
  const found = DURATION.exec(text);
  if (found === null) return null;
  return UNITS_MS.reduce((sum, unit, index) => sum + unit * Number(found[index + 1] ?? 0), 0);
}

/** A length of time for people: "45 s", "4 min 12 s", "1 h 03 min". */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 === 0 ? '' : ` ${seconds % 60} s`}`;
  const rest = minutes % 60;
  return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${String(rest).padStart(2, '0')} min`}`;
}

/** A configured length of time: "700 ms", "2 min". */
export function delayText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : durationText(ms);
}

/** A length of time that is mostly short: "842 ms", "4 min". */
export function tookText(ms: number): string {
  return ms < 10_000 ? `${Math.round(ms)} ms` : ageText(ms);
}

/** Formats a duration for people: "4 min". Coarse, because ages are read at a glance. */
export function ageText(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const hours = Math.floor(seconds / 3_600);
  if (hours < 1) return `${Math.floor(seconds / 60)} min`;
  return hours < 48 ? `${hours} h` : `${Math.floor(hours / 24)} d`;
}

const SECONDS_END = 1e11;
const MILLISECONDS_END = 1e14;

/**
 * Reads a time of unknown unit (`EpochUnknown`) for display only: below 1e11 as seconds (up to the year 5138), below 1e14 as
 * milliseconds.
 *
 * @returns null when neither fits
 */
export function dateOfEpoch(value: number): Date | null {
  if (!(value >= 0) || value >= MILLISECONDS_END) return null;
  return new Date(value < SECONDS_END ? value * 1_000 : value);
}

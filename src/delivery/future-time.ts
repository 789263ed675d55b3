/**
 * A wall-clock time in the future, Unix ms. One further ahead than it was ever set means that the clock was set back
 * meanwhile: it counts as passed, otherwise a channel would be silent for as long as the clock was wrong.
 */
export function futureTime(at: number, longestMs: number, now: number): number {
  return at - now > longestMs ? now : at;
}

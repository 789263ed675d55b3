/** A step back that is larger is a change of the server's clock, or another server; a smaller one is noise, ms. */
const NOISE_MS = 2_000;

/** The clock of the server, between two readings of it by the monotonic clock of this process. */
export interface ServerClock {
  now(): number;
  /**
   * @param at the server's time, Unix ms
   * @param tookMs between asking and the answer
   */
  set(at: number, tookMs: number): void;
}

/** @param monotonic milliseconds that no change of a clock moves */
export function createServerClock(monotonic: () => number): ServerClock {
  let offset = 0;
  let last = 0;
  return {
    now() {
      const at = Math.round(monotonic() + offset);
      // Never a little back: the time of an event would be before that of its cause.
      last = at < last && last - at < NOISE_MS ? last : at;
      return last;
    },
    set(at, tookMs) {
      offset = at + tookMs / 2 - monotonic();
    },
  };
}

/** A larger step back means that the server or its clock changed; a smaller one is noise, ms. */
const NOISE_MS = 2_000;

/** The server's clock, interpolated with this process's monotonic clock between two readings. */
export interface ServerClock {
  now(): number;
  /**
   * A slow answer proves less than a quick one: what it does not contradict stays.
   *
   * @param at the server's time, Unix ms, at some moment between asking and the answer
   * @param tookMs between asking and the answer, which came now
   */
  set(at: number, tookMs: number): void;
}

/** @param monotonic milliseconds that no change of a clock moves */
export function createServerClock(monotonic: () => number): ServerClock {
  let offset = Number.NEGATIVE_INFINITY;
  let last = 0;
  return {
    now() {
      const at = Math.round(monotonic() + offset);
      // Never steps back by noise: an event would precede its cause.
      last = at < last && last - at < NOISE_MS ? last : at;
      return last;
    },
    set(at, tookMs) {
      const least = at - monotonic();
      const most = least + tookMs;
      if (offset < least || offset > most) offset = (least + most) / 2;
    },
  };
}

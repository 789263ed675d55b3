/** A machine may send this many requests in a burst … */
const BURST = 60;
/** … and one more per this interval, ms. */
const REFILL_MS = 50;

/** Limits the requests of each machine. Returns false if it may not send one now. */
export function createRequestRate(now: () => number): (machine: string) => boolean {
  const buckets = new Map<string, { tokens: number; seenAt: number }>();
  return (machine) => {
    const at = now();
    const bucket = buckets.get(machine) ?? { tokens: BURST, seenAt: at };
    buckets.set(machine, bucket);
    const earned = Math.max(0, at - bucket.seenAt) / REFILL_MS;
    bucket.tokens = Math.min(BURST, bucket.tokens + earned);
    bucket.seenAt = at;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  };
}

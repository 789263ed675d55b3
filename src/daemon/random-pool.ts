import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4_096;

/** Hands out random bytes, each once. They are fetched many at a time, because each call for some takes microseconds. */
export function createRandomPool(fetch = randomBytes): (count: number) => Uint8Array {
  let pool: Uint8Array = new Uint8Array(0);
  let used = 0;
  return (count) => {
    if (used + count > pool.length) {
      pool = fetch(Math.max(POOL_BYTES, count));
      used = 0;
    }
    used += count;
    return pool.subarray(used - count, used);
  };
}

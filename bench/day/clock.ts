import { setTimeout as delay } from 'node:timers/promises';

/** The time of the simulated day, which passes faster than ours and is that of the daemon (test/support/fast-clock.ts). */
export interface DayClock {
  readonly speed: number;
  /** Unix ms at which the day begins, in both times. */
  readonly start: number;
  /** Unix ms of the day. */
  now(): number;
  /** @param ms of the day */
  pass(ms: number): Promise<unknown>;
}

export function dayClock(speed: number): DayClock {
  const start = Date.now();
  return {
    speed,
    start,
    now: () => start + (Date.now() - start) * speed,
    pass: (ms) => delay(ms / speed, undefined),
  };
}

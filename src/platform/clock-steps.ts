import { uptime } from 'node:os';

/** Three clocks at one moment, ms. */
export interface ClockReading {
  /** Wall time, Unix ms. */
  readonly wall: number;
  /** Since the boot, including the time the machine was asleep. */
  readonly up: number;
  /** Monotonic, without the time the machine was asleep. */
  readonly awake: number;
}

/** Reads the clocks of this machine. On Linux `up` is CLOCK_BOOTTIME and `awake` CLOCK_MONOTONIC. */
export function readClocks(): ClockReading {
  return { wall: Date.now(), up: uptime() * 1_000, awake: performance.now() };
}

/** What happened between two readings, ms. */
export interface ClockSteps {
  /** Awake time between them. */
  readonly awakeMs: number;
  /** How long the machine was asleep; 0 if it was not. */
  readonly asleepMs: number;
  /** By how much the wall clock was set; 0 if it was not. */
  readonly setMs: number;
}

/** Clocks are read one after the other, and some count whole seconds, ms. */
const TOLERANCE_MS = 2_000;

/** Where the system does not count sleep in `up`, sleep looks like a clock set forward. */
export function stepsBetween(before: ClockReading, after: ClockReading): ClockSteps {
  const awakeMs = after.awake - before.awake;
  const upMs = after.up - before.up;
  const asleepMs = upMs - awakeMs;
  const setMs = after.wall - before.wall - Math.max(upMs, awakeMs);
  return {
    awakeMs,
    asleepMs: asleepMs < TOLERANCE_MS ? 0 : Math.round(asleepMs),
    setMs: Math.abs(setMs) < TOLERANCE_MS ? 0 : Math.round(setMs),
  };
}

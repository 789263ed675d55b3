import type { DailySchedule } from './daily-schedule.ts';

/** When a digest is sent, to whom, and what it may say. */
export interface DigestPolicy {
  readonly every: 'day' | 'week';
  /** Of a weekly one: the day it is sent, 0 = Sunday. */
  readonly weekday: number;
  /** Names of channels. */
  readonly notify: readonly string[];
  /** Whether people are named; without it there are sums alone. */
  readonly users: boolean;
  readonly schedule: DailySchedule;
}

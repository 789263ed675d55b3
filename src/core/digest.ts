import type { DailySchedule } from './daily-schedule.ts';

/** The event of a digest that is for one person alone. */
export const PERSONAL_DIGEST = 'digest.personal';

/** When a digest is sent, to whom, and what it may say. */
export interface DigestPolicy {
  readonly every: 'day' | 'week';
  /** Of a weekly one: the day it is sent, 0 = Sunday. */
  readonly weekday: number;
  /** Names of channels. */
  readonly notify: readonly string[];
  /** Names of channels through which each person gets a digest of their own credits; empty: nobody does. */
  readonly each: readonly string[];
  /** Whether people are named; without it there are sums alone. */
  readonly users: boolean;
  readonly schedule: DailySchedule;
}

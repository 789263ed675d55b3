import type { DailySchedule } from './daily-schedule.ts';

/** In a limit by name: whoever and whatever has none of its own. */
export const EACH_OTHER = '*';

/** How many standard credits may be used in a calendar month (UTC), and what is told of it. */
export interface BudgetPolicy {
  /** Null: the organization as a whole has no budget. */
  readonly organization: number | null;
  /** By model id, or `EACH_OTHER`. */
  readonly models: Readonly<Record<string, number>>;
  /** By e-mail address or user id, in lower case, or `EACH_OTHER`. */
  readonly users: Readonly<Record<string, number>>;
  /** Shares of a budget that are told of, in percent, lowest first. */
  readonly thresholds: readonly number[];
  /** Null: nothing is said of money, since standard credits are none. */
  readonly rate: CreditRate | null;
  /** Null: unusual days are not looked for. */
  readonly anomaly: AnomalyPolicy | null;
  readonly schedule: DailySchedule;
}

/** So much money for so many credits, by the person's own word. */
export interface CreditRate {
  readonly price: number;
  readonly per: number;
  readonly currency: string;
}

export interface AnomalyPolicy {
  /** A day below it is never unusual, standard credits. */
  readonly floor: number;
  /** Whether single users are looked at, and named, besides the organization. */
  readonly users: boolean;
}

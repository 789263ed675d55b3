import type { CreditRate } from '../core/budget.ts';
import type { Tally } from '../core/tally.ts';

export interface DigestOptions {
  readonly every: 'day' | 'week';
  /** Whether people are named. */
  readonly users: boolean;
  /** Null: nothing is said of money. */
  readonly rate: CreditRate | null;
  /** What hookbell itself did; null where it could not be asked. */
  readonly own: Tally | null;
}

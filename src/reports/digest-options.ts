import type { CreditRate } from '../core/budget.ts';
import type { Redactor } from '../core/redact.ts';
import type { UsageCounters } from '../core/tally.ts';
import type { DigestAudit } from './digest-audit.ts';

export interface DigestOptions {
  readonly every: 'day' | 'week';
  /** Whether people are named. */
  readonly users: boolean;
  /** Null: nothing is said of money. */
  readonly rate: CreditRate | null;
  /** What hookbell itself did; null where it could not be asked. */
  readonly own: UsageCounters | null;
  /** Readiness reports and control changes, as far as they are watched. */
  readonly audit: DigestAudit;
  /** Takes out of foreign names what is secret. */
  readonly redactor: Redactor;
}

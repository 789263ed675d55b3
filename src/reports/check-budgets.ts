import type { DayRange, TokenRow } from '../api/index.ts';
import { addDays } from '../api/index.ts';
import type { BudgetPolicy } from '../core/budget.ts';
import { EACH_OTHER } from '../core/budget.ts';
import type { Anomaly } from './anomaly.ts';
import { anomalyOf } from './anomaly.ts';
import { monthOf } from './calendar.ts';
import type { CreditPace } from './pace.ts';
import { paceOf } from './pace.ts';
import type { Series } from './series.ts';
import { creditSeries } from './series.ts';

/** Whose credits; `name` is a model id, an e-mail address or a user id, and null for the organization. */
export interface Spender {
  readonly scope: 'organization' | 'model' | 'user';
  readonly name: string | null;
}

export type BudgetLine = Spender & CreditPace;
export type UnusualDay = Spender & Anomaly;

export interface BudgetReport {
  /** The last complete day, UTC. */
  readonly asOf: string;
  readonly month: DayRange;
  /** The organization first, then by share, highest first. */
  readonly budgets: readonly BudgetLine[];
  readonly anomalies: readonly UnusualDay[];
}

/** The days a report of `asOf` needs: the month, and four weeks to know what is usual. */
export function daysForBudgets(asOf: string): DayRange {
  const { startDate } = monthOf(asOf);
  const back = addDays(asOf, -28);
  return { startDate: back < startDate ? back : startDate, endDate: asOf };
}

/** Holds the rows of `daysForBudgets` against the budgets. */
export function checkBudgets(
  rows: readonly TokenRow[],
  policy: Omit<BudgetPolicy, 'schedule'>,
  asOf: string,
): BudgetReport {
  const { organization, models, users } = creditSeries(rows);
  const whole: Spender = { scope: 'organization', name: null };
  const budgets = [
    ...linesOf('model', models, policy.models, asOf),
    ...linesOf('user', users, policy.users, asOf),
  ].toSorted((one, other) => other.share - one.share);
  if (policy.organization !== null) {
    budgets.unshift({ ...whole, ...paceOf(organization, policy.organization, asOf) });
  }
  return {
    asOf,
    month: monthOf(asOf),
    budgets,
    anomalies: anomaliesIn([
      { ...whole, series: organization },
      ...(policy.anomaly?.users === true ? spendersOf(users) : []),
    ]),
  };

  function anomaliesIn(watched: readonly (Spender & { series: Series })[]): UnusualDay[] {
    const { anomaly } = policy;
    if (anomaly === null) return [];
    return watched.flatMap(({ scope, name, series }) => {
      const found = anomalyOf(series, asOf, anomaly.floor);
      return found === null ? [] : [{ scope, name, ...found }];
    });
  }
}

function spendersOf(users: ReadonlyMap<string, Series>): (Spender & { series: Series })[] {
  return [...users].map(([name, series]) => ({ scope: 'user', name, series }));
}

/** A budget of its own, or that of all others; a name with a budget counts even if it has used nothing. */
function linesOf(
  scope: Spender['scope'],
  found: ReadonlyMap<string, Series>,
  limits: Readonly<Record<string, number>>,
  asOf: string,
): BudgetLine[] {
  const own = new Map(Object.entries(limits));
  const others = own.get(EACH_OTHER);
  own.delete(EACH_OTHER);
  return [...new Set([...own.keys(), ...found.keys()])].flatMap((name) => {
    const limit = own.get(name) ?? others;
    const series: Series = found.get(name) ?? new Map();
    return limit === undefined ? [] : [{ scope, name, ...paceOf(series, limit, asOf) }];
  });
}

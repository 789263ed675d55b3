import { z } from 'zod';

import type { BudgetPolicy } from '../../config/report-schema.ts';
import { type Person, personNamed } from '../../core/looked-up.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import type { DayRange, TokenRow } from '../client/index.ts';
import {
  amountText,
  type BudgetLine,
  type BudgetReport,
  checkBudgets,
  costText,
  creditAmount,
  daysForBudgets,
  shareText,
  type Spender,
  spenderText,
  type UnusualDay,
} from '../reports/check-budgets.ts';
import type { NoticeTexts } from '../reports/compare-controls.ts';
import { createDailyJob, type DayWork } from './daily-job.ts';
import type { CreatePoller, PollerParts } from './poller.ts';

export interface BudgetPollerOptions extends Pick<PollerParts, 'raise'> {
  readonly policy: BudgetPolicy;
  /** Rows of these days, in any order; rejects as the client does. */
  readonly tokens: (days: DayRange) => Promise<readonly TokenRow[]>;
  readonly memory: PollerMemory;
}

export const budgetJob: CreatePoller<BudgetPolicy> = (policy, parts) => {
  const { api, memory, signal } = parts;
  return createDailyJob({
    ...parts,
    schedule: policy.schedule,
    memory: memory('budget-day'),
    work: createBudgetPoller({
      ...parts,
      policy,
      tokens: async (days) => {
        const asked = { stepBack: true, priority: 'background', signal } as const;
        return (await api.analytics.tokens(days, asked)).data;
      },
      memory: memory('budget'),
    }),
  });
};

/** The highest threshold (percent) notified of each budget in a month. */
const memorySchema = z.object({ month: z.string(), told: z.record(z.string(), z.number()) });
type NotifiedBudgets = z.output<typeof memorySchema>['told'];

/**
 * Raises "budget.threshold" when a budget reaches a threshold, each once a month, and "budget.anomaly" for a day with unusual
 * usage. If several thresholds are reached together, only the highest is notified.
 */
export function createBudgetPoller(options: BudgetPollerOptions): DayWork {
  const { policy, tokens, raise, memory } = options;
  return async (day, { mayWait }) => {
    const rows = await tokens(daysForBudgets(day));
    // The service returns zeros for the day before its batch has run.
    const isThere = rows.some(
      ({ date, billable_tokens: credits }) => date === day && (credits ?? 0) > 0,
    );
    if (!isThere && mayWait) return 'waiting';
    const report = checkBudgets(rows, policy, day);
    await raiseThresholds(report);
    if (report.anomalies.length > 0) await raiseAnomalies(report);
    return isThere ? 'done' : 'waiting';
  };

  async function raiseThresholds(report: BudgetReport): Promise<void> {
    const month = report.month.startDate;
    const stored = memorySchema.safeParse(await memory.read()).data;
    const alreadyNotified: NotifiedBudgets = stored?.month === month ? { ...stored.told } : {};
    for (const line of report.budgets) {
      const key = line.name === null ? line.scope : `${line.scope}/${line.name}`;
      const reached = policy.thresholds.findLast((threshold) => line.share * 100 >= threshold);
      if (reached === undefined || reached <= (alreadyNotified[key] ?? 0)) continue;
      await raise({
        id: `budget ${month} ${key} ${reached}`,
        kind: 'notice',
        event: 'budget.threshold',
        about: `budget/${key}`,
        failed: line.share >= 1,
        ...thresholdTexts(line, reached, { ...report, rate: policy.rate }),
        payload: {
          threshold: reached,
          month: report.month,
          asOf: report.asOf,
          budget: line,
          ...concernsOf([line]),
        },
      });
      alreadyNotified[key] = reached;
      await memory.write({ month, told: alreadyNotified });
    }
  }

  async function raiseAnomalies({ anomalies, asOf }: BudgetReport): Promise<void> {
    await raise({
      id: `anomaly ${asOf}`,
      kind: 'notice',
      event: 'budget.anomaly',
      about: 'budget/anomaly',
      failed: false,
      ...anomalyTexts(anomalies, asOf),
      payload: { asOf, anomalies, ...concernsOf(anomalies) },
    });
  }
}

/** The person whose event it is; empty if it is about others as well. */
function concernsOf(spenders: readonly Spender[]): { readonly concerns?: Person } {
  const [spender, ...more] = spenders;
  if (spender?.scope !== 'user' || spender.name === null || more.length > 0) return {};
  return { concerns: personNamed(spender.name) };
}

/** The text of a budget alert. @param threshold the share reached, in percent */
function thresholdTexts(
  line: BudgetLine,
  threshold: number,
  { asOf, month, rate }: Pick<BudgetReport, 'asOf' | 'month'> & Pick<BudgetPolicy, 'rate'>,
): NoticeTexts {
  const { spent, limit, share, projected, crossesOn, missingDays } = line;
  const cost = rate === null ? '' : `, about ${costText(spent, rate)}`;
  const lines = [
    `${amountText(spent)} of ${creditAmount(limit)} (${shareText(share)}) from ${month.startDate} to ${asOf} (UTC)${cost}`,
    paceText({ share, projected, crossesOn }, month.endDate),
    missingDays.length === 0 ? null : `No data, not in the sum: ${missingDays.join(', ')}`,
  ];
  return {
    headline: `The budget of ${spenderText(line)} ${share >= 1 ? 'is used up' : `is ${threshold} % used`}`,
    details: lines.filter((one) => one !== null).join('\n'),
  };
}

function paceText(
  { share, projected, crossesOn }: Pick<BudgetLine, 'share' | 'projected' | 'crossesOn'>,
  endDate: string,
): string | null {
  if (projected === null) return null;
  const end = `${creditAmount(projected)} by ${endDate}`;
  if (share >= 1) return `The limit was reached on ${crossesOn}; at this pace usage will be ${end}`;
  if (crossesOn === null) return `At this pace usage stays below the limit: ${end}`;
  return `At this pace usage reaches the limit on ${crossesOn}: ${end}`;
}

/** The text of an alert about a day with unusual usage. @param found at least one */
function anomalyTexts(found: readonly UnusualDay[], day: string): NoticeTexts {
  const lines = found.map(({ usual, spent, ...spender }) => {
    const than =
      usual === null ? 'too few days of data to compare' : `usually ${amountText(usual)}`;
    return `${spenderText(spender)}: ${creditAmount(spent)} (${than})`;
  });
  return {
    headline: `Unusual usage of standard credits on ${day} (UTC)`,
    details: lines.join('\n'),
  };
}

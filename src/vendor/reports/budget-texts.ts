import type { CreditRate } from '../../config/report-schema.ts';
import {
  amountText,
  type BudgetLine,
  type BudgetReport,
  costText,
  creditAmount,
  shareText,
  spenderText,
  type UnusualDay,
} from './check-budgets.ts';
import type { NoticeTexts } from './control-texts.ts';

/** The text of a budget alert. @param threshold the share reached, in percent */
export function thresholdTexts(
  line: BudgetLine,
  threshold: number,
  {
    asOf,
    month,
    rate,
  }: Pick<BudgetReport, 'asOf' | 'month'> & { readonly rate: CreditRate | null },
): NoticeTexts {
  const { spent, limit, share, projected, crossesOn, missingDays } = line;
  const cost = rate === null ? '' : `, about ${costText(spent, rate)}`;
  const lines = [
    `${amountText(spent)} of ${creditAmount(limit)} (${shareText(share)}) from ${month.startDate} to ${asOf} (UTC)${cost}`,
    paceText({ share, projected, crossesOn }, month.endDate),
    missingDays.length === 0 ? null : `No data, not in the sum: ${missingDays.join(', ')}`,
  ];
  const over = share >= 1 ? 'is used up' : `is ${threshold} % used`;
  return {
    headline: `The budget of ${spenderText(line)} ${over}`,
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
export function anomalyTexts(found: readonly UnusualDay[], day: string): NoticeTexts {
  return {
    headline: `Unusual usage of standard credits on ${day} (UTC)`,
    details: found
      .map((spender) => {
        const than =
          spender.usual === null
            ? 'too few days of data to compare'
            : `usually ${amountText(spender.usual)}`;
        return `${spenderText(spender)}: ${creditAmount(spender.spent)} (${than})`;
      })
      .join('\n'),
  };
}

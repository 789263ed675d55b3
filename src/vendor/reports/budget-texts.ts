import type { CreditRate } from '../../core/vendor-policy.ts';
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

/** What an alert about a budget says. @param threshold the share that was reached, in percent */
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
    missingDays.length === 0 ? null : `Not known, and not in the sum: ${missingDays.join(', ')}`,
  ];
  const over = share >= 1 ? 'is used up' : `is used to ${threshold} %`;
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
  if (share >= 1) return `The limit was reached on ${crossesOn}; at this pace it will be ${end}`;
  if (crossesOn === null) return `At this pace the limit is not reached: it will be ${end}`;
  return `At this pace the limit is reached on ${crossesOn}, and it will be ${end}`;
}

/** What an alert about a day says on which far more was used than usual. @param found at least one */
export function anomalyTexts(found: readonly UnusualDay[], day: string): NoticeTexts {
  return {
    headline: `Unusual use of standard credits on ${day} (UTC)`,
    details: found
      .map((spender) => {
        const than =
          spender.usual === null
            ? 'too few days are known to say what is usual'
            : `usually ${amountText(spender.usual)}`;
        return `${spenderText(spender)}: ${creditAmount(spender.spent)} (${than})`;
      })
      .join('\n'),
  };
}

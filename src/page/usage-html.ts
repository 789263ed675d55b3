import type { EventView } from '../control/contract.ts';
import type { BudgetPolicy } from '../config/report-schema.ts';
import type { TokenRow } from '../vendor/client/index.ts';
import {
  amountText,
  checkBudgets,
  creditAmount,
  shareText,
  spenderText,
} from '../vendor/reports/check-budgets.ts';
import { creditSeries } from '../vendor/reports/series.ts';
import { clock, line, lines } from './html-parts.ts';

/** What the vendor's service reports, as far as it is configured. */
export interface UsageContent {
  /** Rows of the last days; or why there are none. */
  readonly usage:
    | { readonly rows: readonly TokenRow[]; readonly asOf: string }
    | { readonly problem: string };
  readonly budget: Omit<BudgetPolicy, 'schedule'> | null;
  /** The latest digests. */
  readonly digests: readonly Pick<EventView, 'title' | 'body' | 'at'>[];
}

const DAYS_SHOWN = 14;

/** Usage, budgets and digests of the organization. */
export function usageHtml({ usage, budget, digests }: UsageContent): string {
  const parts =
    'problem' in usage
      ? [`<p class="empty">${line(usage.problem, 1_000)}</p>`]
      : [budgetHtml(usage.rows, usage.asOf, budget), creditsHtml(usage.rows)];
  const digest = digests.map(
    ({ title, body, at }, index) =>
      `<details${index === 0 ? ' open' : ''}><summary>${line(title, 200)} · ${clock(at)}</summary><pre class="request" tabindex="0" aria-label="${index === 0 ? 'The latest digest' : `Digest ${index + 1}`}">${lines(body)}</pre></details>`,
  );
  return `<h1>Usage</h1>
${parts.join('\n')}
${digest.length === 0 ? '' : `<section class="block" aria-labelledby="h-digests"><header><h2 id="h-digests">Digests</h2></header>${digest.join('')}</section>`}`;
}

function budgetHtml(
  rows: readonly TokenRow[],
  asOf: string,
  budget: UsageContent['budget'],
): string {
  if (budget === null) return '';
  const { budgets } = checkBudgets(rows, budget, asOf);
  const bars = budgets.map((one) => {
    const { share, spent, limit, projected, crossesOn } = one;
    const tone = share >= 1 ? 'bad' : crossesOn === null ? 'good' : 'wait';
    const width = Math.min(100, share * 100).toFixed(1);
    const forecast =
      crossesOn === null
        ? projected === null
          ? ''
          : `, projected ${creditAmount(projected)}`
        : `, ${share >= 1 ? 'used up on' : 'projected to be used up on'} ${crossesOn}`;
    return `<div class="item"><header><strong>${line(spenderText(one))}</strong><span class="spacer"></span><span class="${tone}">${shareText(share)}</span></header><svg class="meter" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="2"></rect><rect class="${tone}" width="${width}" height="2"></rect></svg><p class="faint">${amountText(spent)} of ${creditAmount(limit)} this month${forecast}</p></div>`;
  });
  return `<section class="block" aria-labelledby="h-budgets"><header><h2 id="h-budgets">Budgets</h2></header><div class="card flush">${bars.join('')}</div></section>`;
}

function creditsHtml(rows: readonly TokenRow[]): string {
  const { organization } = creditSeries(rows);
  const days = [...organization]
    .toSorted(([one], [other]) => (one < other ? 1 : -1))
    .slice(0, DAYS_SHOWN);
  if (days.length === 0)
    return '<p class="empty">The service has no usage data for the last days.</p>';
  const most = Math.max(...days.map(([, credits]) => credits), 1);
  const list = days.map(
    ([day, credits]) =>
      `<tr><th scope="row" class="nowrap">${line(day)}</th><td class="wide"><svg class="meter" viewBox="0 0 100 2" preserveAspectRatio="none" aria-hidden="true"><rect class="plain" width="${((credits / most) * 100).toFixed(1)}" height="2"></rect></svg></td><td>${amountText(credits)}</td></tr>`,
  );
  return `<section class="block" aria-labelledby="h-credits"><header><h2 id="h-credits">Standard credits by day (UTC)</h2></header><div class="card flush"><table><thead><tr><th scope="col">Day</th><td></td><th scope="col">Credits</th></tr></thead><tbody>${list.join('')}</tbody></table></div></section>`;
}

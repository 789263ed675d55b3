import type { BudgetPolicy } from '../../../config/report-schema.ts';
import { FailedError, UsageError } from '../../../platform/errors.ts';
import { yesterday } from '../../../vendor/client/index.ts';
import {
  amountText,
  type BudgetReport,
  checkBudgets,
  costText,
  creditAmount,
  daysForBudgets,
  shareText,
  spenderText,
} from '../../../vendor/reports/check-budgets.ts';
import {
  type CommandContext,
  type DefineCommand,
  type ExitCode,
  exitCodes,
} from '../../context.ts';
import type { Output } from '../../output.ts';
import { type ServiceAccess, withService } from '../with-client.ts';

/** `hookbell service budget`: compares the month to date with the configured budgets. */
export const defineBudget: DefineCommand = (program, run) => {
  program
    .command('budget')
    .description('compare credit usage with the configured budgets')
    .command('check')
    .description('show the month to date (UTC); exit with 9 if a budget is used up')
    .action(run(withService(check)));
};

async function check(
  { output, json, paths }: CommandContext,
  { api, config: { budget } }: ServiceAccess,
): Promise<ExitCode> {
  if (budget === null) {
    throw new UsageError(`No budget is configured in "${paths.config}"`, {
      hint: 'Add to it, for example: budget: { organization: 50000000 }',
    });
  }
  const asOf = yesterday(Date.now());
  const { data } = await api.analytics.tokens(daysForBudgets(asOf), { stepBack: true });
  const report = checkBudgets(data, budget, asOf);
  if (data.length === 0) {
    throw new FailedError(`The service has no data up to ${asOf} (UTC)`, {
      hint: 'Run "hookbell service usage tokens" to see the days with data',
    });
  }
  if (json) output.json(report);
  else print(output, report, budget);
  const isOver = report.budgets.some(({ share }) => share >= 1);
  return isOver ? exitCodes.overBudget : exitCodes.ok;
}

function print(output: Output, report: BudgetReport, { rate }: BudgetPolicy): void {
  const { asOf, month, budgets, anomalies } = report;
  const money = rate === null ? [] : ['SPENT IN MONEY'];
  output.table(
    ['BUDGET', 'USED', 'SPENT', 'LIMIT', 'PROJECTED', 'REACHED ON', ...money],
    budgets.map((line) => [
      spenderText(line),
      shareText(line.share),
      amountText(line.spent),
      amountText(line.limit),
      line.projected === null ? '-' : amountText(line.projected),
      line.crossesOn ?? '-',
      ...(rate === null ? [] : [costText(line.spent, rate)]),
    ]),
    { right: new Set([1, 2, 3, 4]) },
  );
  output.say(
    `Standard credits from ${month.startDate} to ${asOf} (UTC), projected to ${month.endDate}`,
  );
  const missing = new Set(budgets.flatMap(({ missingDays }) => missingDays));
  if (missing.size > 0) {
    output.say(`No data yet (not zero): ${[...missing].toSorted().join(', ')} (UTC)`);
  }
  for (const { day, spent, usual, ...spender } of anomalies) {
    const than = usual === null ? '' : `, usually ${amountText(usual)}`;
    output.say(
      `Unusual on ${day} (UTC): ${spenderText(spender)} used ${creditAmount(spent)}${than}`,
    );
  }
}

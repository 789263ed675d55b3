import type { Command } from 'commander';

import {
  criterionWarning,
  newestReportsFirst,
  type Report,
  reportCardView,
} from '../../../vendor/client/index.ts';
import { isJsonObject } from '../../../platform/json.ts';
import { createRedactor, type Redact } from '../../../text/redact.ts';
import {
  compareReadiness,
  isOfRepository,
  type ReadinessComparison,
} from '../../../vendor/reports/compare-readiness.ts';
import { reportText, resultText } from '../../../vendor/reports/readiness-texts.ts';
import type { CommandAction, DefineCommand } from '../../context.ts';
import { readLimit } from '../../option-values.ts';
import type { Output } from '../../output.ts';
import { makeCall, printCall } from '../collect.ts';
import { DEFAULT_MAX, MAX_PAGE } from '../define-remote.ts';
import { lastCleanReports, namedReports, reportOf } from '../pick-reports.ts';
import { show, type Shown } from '../show.ts';
import { withClient } from '../with-client.ts';

interface Options {
  readonly repo?: string;
}

interface ListOptions extends Options {
  readonly repoId?: string;
  readonly csv?: boolean;
  readonly max: number;
}

/** `hookbell service readiness`: how ready repositories are for agents. */
export const defineReadiness: DefineCommand = (program, run) => {
  const readiness = program
    .command('readiness')
    .description('show how ready repositories are for agents');
  defineList(readiness, run);
  defineGet(readiness, run);
  defineDiff(readiness, run);
};

function defineList(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const command = parent
    .command('list')
    .description('list readiness reports, newest first')
    .option('--repo <address>', 'only reports of this repository, such as acme/api')
    .option('--repo-id <id>', 'only reports of the repository with this service id')
    .option('--csv', 'print CSV, for spreadsheets')
    .option('--max <n>', 'maximum number of items', readLimit, DEFAULT_MAX);
  command.action(() =>
    run((context) =>
      withClient(context, async ({ api }) => {
        const { repo, repoId, csv, max } = command.opts<ListOptions>();
        const call = {
          id: 'readiness.list',
          parameters: { limit: MAX_PAGE, ...(repoId !== undefined && { repoId }) },
          extent: Number.POSITIVE_INFINITY,
          csv,
        } as const;
        // The service guarantees no order, so the newest are known only after all are fetched.
        const found = await makeCall(api, call);
        return printCall(context, call, pickNewest(found, repo, max));
      }),
    ),
  );
}

function pickNewest(found: Shown, repo: string | undefined, max: number): Shown {
  const wanted = found.items
    .filter(isJsonObject)
    .filter(
      ({ repoUrl }) =>
        repo === undefined || (typeof repoUrl === 'string' && isOfRepository(repoUrl, repo)),
    );
  const sorted = newestReportsFirst(wanted);
  const items = sorted.slice(0, max);
  const cut = [`Showing the newest ${max} of ${sorted.length}: raise --max to see more`];
  const notes = [...(found.notes ?? []), ...(items.length < sorted.length ? cut : [])];
  const bad = (found.badItems ?? []).map(({ raw }) => raw);
  return { ...found, items, json: [...items, ...bad], notes };
}

function defineGet(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const command = parent
    .command('get')
    .argument('<report>', 'report id or unique prefix')
    .description('show a readiness report: each criterion with result and reason');
  command.action(() =>
    run((context) =>
      withClient(context, async ({ api, config }) => {
        const { output, json } = context;
        const reports = await api.readiness.list({ limit: MAX_PAGE }).all({ max: DEFAULT_MAX });
        const report = reportOf(reports, command.args[0] ?? '');
        if (json) output.json(report);
        else printReport(output, report, createRedactor(config.redact).text);
      }),
    ),
  );
}

function printReport(output: Output, report: Report, redact: Redact): void {
  const shown = { items: [report], isList: false, json: report };
  show(output, reportCardView, shown, 'people');
  const criteria = Object.entries(report.report ?? {});
  if (criteria.length === 0) return output.say('The report has no criteria');
  output.line();
  output.table(
    ['CRITERION', 'PASSED', 'WHY'],
    criteria.map(([name, criterion]) => {
      const warning = criterionWarning(criterion);
      const passed = resultText({
        numerator: criterion.numerator ?? null,
        denominator: criterion.denominator ?? null,
      });
      return [
        name,
        warning === null ? passed : `${passed} (${warning})`,
        redact(criterion.rationale ?? '-'),
      ];
    }),
  );
}

function defineDiff(parent: Command, run: (action: CommandAction) => Promise<void>): void {
  const command = parent
    .command('diff')
    .argument('[reports...]', 'two report ids or unique prefixes')
    .description(
      'compare each criterion of two reports, by default the last two clean ones of a repository',
    )
    .option('--repo <address>', 'compare reports of this repository, such as acme/api');
  command.action(() =>
    run((context) =>
      withClient(context, async ({ api, config }) => {
        const { output, json } = context;
        const { repo } = command.opts<Options>();
        const reports = await api.readiness.list({ limit: MAX_PAGE }).all({ max: DEFAULT_MAX });
        const { earlier, later } =
          command.args.length > 0
            ? namedReports(reports, command.args)
            : lastCleanReports(reports, repo);
        const redactor = createRedactor(config.redact);
        const compared = compareReadiness(earlier, later, redactor.text);
        if (json) output.json(compared);
        else printComparison(output, compared);
      }),
    ),
  );
}

function printComparison(output: Output, compared: ReadinessComparison): void {
  const { repository, before, after, moves, unchanged } = compared;
  if (moves.length > 0) {
    output.table(
      ['CRITERION', 'BECAME', 'BEFORE', 'AFTER', 'WHY'],
      moves.map(({ criterion, move, rationale, warning, ...results }) => [
        criterion,
        warning === null ? move : `${move} (${warning})`,
        resultText(results.before),
        resultText(results.after),
        rationale ?? '-',
      ]),
    );
  }
  output.say(
    `${repository ?? 'A repository'}: ${reportText(after)}, compared with ${reportText(before)}`,
  );
  output.say(`Unchanged criteria: ${unchanged}`);
}

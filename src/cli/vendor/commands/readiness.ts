import { NotFoundError, UsageError } from '../../../platform/errors.ts';
import { isJsonObject, type JsonObject } from '../../../platform/json.ts';
import { createRedactor, type Redact } from '../../../text/redact.ts';
import { displayLine } from '../../../text/sanitize.ts';
import {
  type Client,
  criterionWarning,
  newestReportsFirst,
  type ReadinessReport,
  reportCardView,
  repositoryKey,
  routes,
} from '../../../vendor/client/index.ts';
import {
  baselineOf,
  compareReadiness,
  isBaseline,
  isOfRepository,
  newestFirst,
  type ReadinessComparison,
  reportText,
  resultText,
} from '../../../vendor/reports/compare-readiness.ts';
import type { CommandContext, DefineCommand, ExitCode } from '../../context.ts';
import { readLimit } from '../../option-values.ts';
import type { Output } from '../../output.ts';
import { makeCall, printCall } from '../collect.ts';
import { DEFAULT_MAX, MAX_PAGE } from '../define-remote.ts';
import { show, type ShownResult } from '../show.ts';
import { type ServiceAccess, withService } from '../with-client.ts';

const LIST_HINT = 'Run "hookbell service readiness list" to list the reports';
const SHORTEST_ID = 4;

/**
 * The reports with two ids or unique prefixes.
 *
 * @throws NotFoundError when a report is missing, UsageError when a prefix is ambiguous or only one report is named
 */
function namedReports(reports: readonly ReadinessReport[], ids: readonly string[]) {
  const [one, other] = ids.map((id) => reportOf(reports, id));
  if (one === undefined || other === undefined || one.reportId === other.reportId) {
    throw new UsageError('Got 1 report, expected 2 or none', {
      hint: 'Name two reports, or none for the last two clean ones of a repository',
    });
  }
  const [later = one, earlier = other] = newestFirst([one, other]);
  return { earlier, later };
}

/**
 * The last two clean reports of the only repository, or of the given one, on the branch with the newest clean report.
 *
 * @param repository its address, in any spelling, or its end such as "acme/api"; absent: all listed ones
 * @throws NotFoundError when two are not available, UsageError when the repository is ambiguous
 */
function lastCleanReports(reports: readonly ReadinessReport[], repository: string | undefined) {
  const wanted = reports.filter(
    ({ repoUrl }) => repository === undefined || isOfRepository(repoUrl ?? '', repository),
  );
  const names = [...new Set(wanted.map(({ repoUrl }) => repositoryKey(repoUrl ?? '')))];
  if (names.length > 1) {
    const known = names.map((name) => `"${displayLine(name)}"`).join(', ');
    throw new UsageError('The reports are of more than one repository', {
      hint: `Name one with --repo: ${known}`,
    });
  }
  for (const later of newestFirst(wanted).filter(isBaseline)) {
    const earlier = baselineOf(later, wanted);
    if (earlier !== null) return { earlier, later };
  }
  throw new NotFoundError('No branch has two clean reports to compare', {
    hint: `${LIST_HINT}; a report with local changes or unpushed commits is not clean`,
  });
}

/** The report with an id or unique prefix. @throws NotFoundError, UsageError when the prefix is ambiguous */
function reportOf(reports: readonly ReadinessReport[], id: string): ReadinessReport {
  const exact = reports.find(({ reportId }) => reportId === id);
  if (exact !== undefined) return exact;
  const found =
    id.length < SHORTEST_ID ? [] : reports.filter(({ reportId }) => reportId.startsWith(id));
  if (found.length > 1)
    throw new UsageError(`"${id}" matches ${found.length} reports, expected one`);
  const [report] = found;
  if (report === undefined) throw new NotFoundError(`No report "${id}"`, { hint: LIST_HINT });
  return report;
}

interface ListOptions {
  readonly repo?: string;
  readonly repoId?: string;
  readonly csv?: boolean;
  readonly max: number;
}

/** `hookbell service readiness`: how ready repositories are for agents. */
export const defineReadiness: DefineCommand = (program, run) => {
  const readiness = program
    .command('readiness')
    .description('show how ready repositories are for agents');
  readiness
    .command('list')
    .description('list readiness reports, newest first')
    .option('--repo <address>', 'only reports of this repository, such as acme/api')
    .option('--repo-id <id>', 'only reports of the repository with this service id')
    .option('--csv', 'print CSV, for spreadsheets')
    .option('--max <n>', 'maximum number of items', readLimit, DEFAULT_MAX)
    .action(run(withService(list)));
  readiness
    .command('get')
    .argument('<report>', 'report id or unique prefix')
    .description('show a readiness report: each criterion with result and reason')
    .action(run(withService(get)));
  readiness
    .command('diff')
    .argument('[reports...]', 'two report ids or unique prefixes')
    .description(
      'compare each criterion of two reports, by default the last two clean ones of a repository',
    )
    .option('--repo <address>', 'compare reports of this repository, such as acme/api')
    .action(run(withService(diff)));
};

async function list(
  context: CommandContext,
  { api }: ServiceAccess,
  { repo, repoId, csv, max }: ListOptions,
): Promise<ExitCode> {
  const parameters = { limit: MAX_PAGE, ...(repoId !== undefined && { repoId }) };
  const route = routes['readiness.list'];
  const call = { route, parameters, extent: Number.POSITIVE_INFINITY, csv };
  // The service guarantees no order, so the newest are known only after all are fetched.
  return printCall(context, call, pickNewest(await makeCall(api, call), repo, max));
}

function pickNewest(found: ShownResult, repo: string | undefined, max: number): ShownResult {
  const isWanted = ({ repoUrl }: JsonObject): boolean =>
    repo === undefined || (typeof repoUrl === 'string' && isOfRepository(repoUrl, repo));
  const wanted = found.items.filter(isJsonObject).filter(isWanted);
  const sorted = newestReportsFirst(wanted);
  const items = sorted.slice(0, max);
  const cut = [`Showing the newest ${max} of ${sorted.length}: raise --max to see more`];
  const notes = [...(found.notes ?? []), ...(items.length < sorted.length ? cut : [])];
  const bad = (found.badItems ?? []).map(({ raw }) => raw);
  return { ...found, items, json: [...items, ...bad], notes };
}

function allReports({ readiness }: Client): Promise<ReadinessReport[]> {
  return readiness.list({ limit: MAX_PAGE }).all({ max: DEFAULT_MAX });
}

async function get(
  { output, json }: CommandContext,
  { api, config }: ServiceAccess,
  id: string,
): Promise<void> {
  const report = reportOf(await allReports(api), id);
  if (json) output.json(report);
  else printReport(output, report, createRedactor(config.redact).text);
}

function printReport(output: Output, report: ReadinessReport, redact: Redact): void {
  const shown = { items: [report], isList: false, json: report };
  show(output, reportCardView, shown, 'people');
  const criteria = Object.entries(report.report ?? {});
  if (criteria.length === 0) return output.say('The report has no criteria');
  output.line();
  output.table(
    ['CRITERION', 'PASSED', 'WHY'],
    criteria.map(([name, criterion]) => {
      const { numerator = null, denominator = null, rationale } = criterion;
      const warning = criterionWarning(criterion);
      const passed = resultText({ numerator, denominator });
      const remark = warning === null ? '' : ` (${warning})`;
      return [name, passed + remark, redact(rationale ?? '-')];
    }),
  );
}

async function diff(
  { output, json }: CommandContext,
  { api, config }: ServiceAccess,
  ids: readonly string[],
  { repo }: { readonly repo?: string },
): Promise<void> {
  const reports = await allReports(api);
  const { earlier, later } =
    ids.length > 0 ? namedReports(reports, ids) : lastCleanReports(reports, repo);
  const compared = compareReadiness(earlier, later, createRedactor(config.redact).text);
  if (json) output.json(compared);
  else printComparison(output, compared);
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

import { type Report, repositoryKey } from '../../vendor/client/index.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import {
  baselineOf,
  isBaseline,
  isOfRepository,
  newestFirst,
} from '../../vendor/reports/compare-readiness.ts';

/** Two reports to compare. */
export interface ReportPair {
  readonly earlier: Report;
  readonly later: Report;
}

const LIST_HINT = 'Run "hookbell service readiness list" to list the reports';
const SHORTEST_ID = 4;

/**
 * The reports with two ids or unique prefixes, the earlier one first.
 *
 * @throws NotFoundError when a report is missing, UsageError when a prefix is ambiguous or only one report is named
 */
export function namedReports(reports: readonly Report[], ids: readonly string[]): ReportPair {
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
export function lastCleanReports(
  reports: readonly Report[],
  repository: string | undefined,
): ReportPair {
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
export function reportOf(reports: readonly Report[], id: string): Report {
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

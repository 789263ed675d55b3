import { type Report, repositoryKey } from '../../vendor/client/index.ts';
import { NotFoundError, UsageError } from '../../platform/errors.ts';
import { displayLine } from '../../text/sanitize.ts';
import {
  baselineOf,
  isBaseline,
  isOfRepository,
  newestFirst,
} from '../../vendor/reports/compare-readiness.ts';

/** Two reports to hold against each other. */
export interface ReportPair {
  readonly earlier: Report;
  readonly later: Report;
}

const LIST_HINT = 'Run "hookbell service readiness list" to see the reports there are';
const SHORTEST_ID = 4;

/**
 * The reports two ids name, the earlier one first. An id may be cut to its beginning.
 *
 * @throws NotFoundError when there is none, UsageError when one is named by several beginnings or only one is named
 */
export function namedReports(reports: readonly Report[], ids: readonly string[]): ReportPair {
  const [one, other] = ids.map((id) => reportOf(reports, id));
  if (one === undefined || other === undefined || one.reportId === other.reportId) {
    throw new UsageError('One report compares with nothing', {
      hint: 'Name two reports, or none for the last two clean ones of a repository',
    });
  }
  const [later = one, earlier = other] = newestFirst([one, other]);
  return { earlier, later };
}

/**
 * The last two clean reports of the one repository there is, or of the one that is named; those of the branch whose
 * clean report is the newest.
 *
 * @param repository its address, in any spelling, or the end of it such as "acme/api"; absent: all that were listed
 * @throws NotFoundError when there are no two, UsageError when there are several repositories
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
    throw new UsageError('There is more than one repository', {
      hint: `Name one with --repo: ${known}`,
    });
  }
  for (const later of newestFirst(wanted).filter(isBaseline)) {
    const earlier = baselineOf(later, wanted);
    if (earlier !== null) return { earlier, later };
  }
  throw new NotFoundError('There are no two clean reports of one branch to compare', {
    hint: `${LIST_HINT}; those with local changes or unpushed commits are not clean`,
  });
}

/** The report an id names, or the beginning of one. @throws NotFoundError, UsageError when it names several */
export function reportOf(reports: readonly Report[], id: string): Report {
  const exact = reports.find(({ reportId }) => reportId === id);
  if (exact !== undefined) return exact;
  const found =
    id.length < SHORTEST_ID ? [] : reports.filter(({ reportId }) => reportId.startsWith(id));
  if (found.length > 1) throw new UsageError(`"${id}" is the beginning of ${found.length} reports`);
  const [report] = found;
  if (report === undefined) throw new NotFoundError(`No report "${id}"`, { hint: LIST_HINT });
  return report;
}

import type { Report } from '../api/index.ts';
import { repositoryKey } from '../api/index.ts';

/** What a report was made of besides what is pushed; empty for a clean one. Absent flags say nothing against it. */
export function dirtOf({
  hasLocalChanges,
  hasNonRemoteCommits,
}: {
  readonly hasLocalChanges?: unknown;
  readonly hasNonRemoteCommits?: unknown;
}): readonly string[] {
  return [
    ...(hasLocalChanges === true ? ['local changes'] : []),
    ...(hasNonRemoteCommits === true ? ['unpushed commits'] : []),
  ];
}

/** Reports are compared along one line: a branch of a repository. */
export function readinessLine({ repoUrl, branch }: Report): string {
  return `${repositoryKey(repoUrl ?? '')} ${branch ?? ''}`;
}

/** Later reports first; those without a time last, then by id, so that the order is always the same. */
export function newestFirst(reports: readonly Report[]): readonly Report[] {
  return reports.toSorted(
    (one, other) =>
      (other.createdAt ?? 0) - (one.createdAt ?? 0) || (one.reportId < other.reportId ? 1 : -1),
  );
}

/**
 * What a report is held against: the newest earlier one of the same branch of the same repository that is clean and says
 * anything at all; null where there is none.
 *
 * @param until only those made by then, Unix ms
 */
export function baselineOf(
  report: Report,
  reports: readonly Report[],
  until = Number.POSITIVE_INFINITY,
): Report | null {
  const line = readinessLine(report);
  const earlier = reports.filter(
    (one) =>
      one.reportId !== report.reportId &&
      (one.createdAt ?? 0) < (report.createdAt ?? 0) &&
      (one.createdAt ?? 0) <= until &&
      readinessLine(one) === line &&
      isBaseline(one),
  );
  return newestFirst(earlier)[0] ?? null;
}

/** Whether others may be held against it. */
export function isBaseline(report: Report): boolean {
  return dirtOf(report).length === 0 && Object.keys(report.report ?? {}).length > 0;
}

/** Whether a repository is the one that is named: by its address in any spelling, or by the end of it such as "acme/api". */
export function isOfRepository(url: string, name: string): boolean {
  const key = repositoryKey(url);
  const wanted = repositoryKey(name);
  return key === wanted || key.endsWith(`/${wanted}`);
}

import type { Redact } from '../../text/redact.ts';
import { cutText, displayLine } from '../../text/sanitize.ts';
import {
  compareCriteria,
  type Criterion,
  criterionWarning,
  dirtOf,
  passShare,
  type ReadinessReport,
  repositoryKey,
} from '../client/index.ts';
import type { NoticeTexts } from './compare-controls.ts';

/** Maximum number of criteria listed by name. */
const MOST_LINES = 15;
const RATIONALE_LENGTH = 300;

/** The text of an alert about criteria that fell. @param regressions at least one, of the comparison */
export function regressionTexts(
  { repository, before, after }: ReadinessComparison,
  regressions: readonly CriterionMove[],
): NoticeTexts {
  const name = repository === null ? 'a repository' : repositoryKey(repository);
  const shown = regressions.slice(0, MOST_LINES);
  const rest = regressions.length - shown.length;
  const first = shown[0]?.criterion ?? '';
  const what = regressions.length === 1 ? first : `${first} and ${regressions.length - 1} more`;
  return {
    headline: `Readiness of ${name} fell: ${what}`,
    details: [
      ...shown.map(moveText),
      ...(rest > 0 ? [`and ${rest} more: hookbell service readiness diff`] : []),
      `${reportText(after)}, compared with ${reportText(before)}`,
    ].join('\n'),
  };
}

/** One line: criterion, old and new result, and reason. */
function moveText({ criterion, before, after, rationale, warning }: CriterionMove): string {
  const why = rationale === null ? '' : `: ${cutText(rationale, RATIONALE_LENGTH)}`;
  const odd = warning === null ? '' : ` (${warning})`;
  return `${criterion} ${resultText(before)} -> ${resultText(after)}${odd}${why}`;
}

export function resultText(result: Result | null): string {
  if (result === null) return '-';
  return `${result.numerator ?? '?'} of ${result.denominator ?? '?'}`;
}

/** Commit, branch and time, and what makes it dirty. */
export function reportText({ commit, branch, createdAt, dirt, reportId }: Compared): string {
  const what = commit === null ? `report ${reportId}` : `commit ${commit.slice(0, 12)}`;
  const where = branch === null ? '' : ` on ${branch}`;
  const when = createdAt === null ? '' : ` of ${createdAt.slice(0, 10)}`;
  return `${what}${where}${when}${dirt.length === 0 ? '' : ` (with ${dirt.join(' and ')})`}`;
}

/** `changed`: different numbers, but neither better nor worse, or not comparable. */
export type Move = 'regressed' | 'improved' | 'changed' | 'added' | 'removed';

/** Number of sub-applications that pass. */
export interface Result {
  readonly numerator: number | null;
  readonly denominator: number | null;
}

export interface CriterionMove {
  readonly criterion: string;
  readonly move: Move;
  /** Null: missing in that report. */
  readonly before: Result | null;
  readonly after: Result | null;
  /** Of the later report, or of the earlier one if the criterion is gone. */
  readonly rationale: string | null;
  /** What is implausible about the later numbers. */
  readonly warning: string | null;
}

export interface Compared {
  readonly reportId: string;
  /** ISO 8601, UTC; null if unknown. */
  readonly createdAt: string | null;
  readonly commit: string | null;
  readonly branch: string | null;
  /** Local changes and unpushed commits it was made with. */
  readonly dirt: readonly string[];
}

export interface ReadinessComparison {
  /** As in the later report. */
  readonly repository: string | null;
  readonly before: Compared;
  readonly after: Compared;
  /** Regressions first, then by criterion. */
  readonly moves: readonly CriterionMove[];
  readonly unchanged: number;
}

const ORDER: readonly Move[] = ['regressed', 'removed', 'changed', 'added', 'improved'];

/** Compares two reports criterion by criterion, so that a higher total hides no criterion that fell. */
export function compareReadiness(
  earlier: ReadinessReport,
  later: ReadinessReport,
  redact: Redact,
): ReadinessComparison {
  const old = new Map(Object.entries(earlier.report ?? {}));
  const now = new Map(Object.entries(later.report ?? {}));
  const { added, removed, changed } = compareCriteria(earlier, later);
  const moves = [...added, ...removed, ...changed].map((id) =>
    moveOf(id, old.get(id) ?? null, now.get(id) ?? null),
  );
  return {
    repository: textOf(later.repoUrl),
    before: compared(earlier),
    after: compared(later),
    moves: moves.toSorted(
      (one, other) =>
        ORDER.indexOf(one.move) - ORDER.indexOf(other.move) ||
        one.criterion.localeCompare(other.criterion),
    ),
    unchanged: now.size - added.length - changed.length,
  };

  function moveOf(id: string, before: Criterion | null, after: Criterion | null): CriterionMove {
    return {
      criterion: textOf(id) ?? '',
      move: directionOf(before, after),
      before: resultOf(before),
      after: resultOf(after),
      rationale: textOf((after ?? before)?.rationale),
      warning: after === null ? null : criterionWarning(after),
    };
  }

  function compared(report: ReadinessReport): Compared {
    const { reportId, createdAt, commitHash, branch } = report;
    return {
      reportId,
      createdAt: isoTime(createdAt),
      commit: textOf(commitHash),
      branch: textOf(branch),
      dirt: dirtOf(report),
    };
  }

  function textOf(text: string | null | undefined): string | null {
    return redact(displayLine(text ?? '')) || null;
  }
}

function directionOf(before: Criterion | null, after: Criterion | null): Move {
  if (before === null) return 'added';
  if (after === null) return 'removed';
  const [share, newShare] = [passShare(before), passShare(after)];
  if (share === null || newShare === null || share === newShare) return 'changed';
  return newShare < share ? 'regressed' : 'improved';
}

function resultOf(criterion: Criterion | null): Result | null {
  if (criterion === null) return null;
  const { numerator, denominator } = criterion;
  return { numerator: numerator ?? null, denominator: denominator ?? null };
}

function isoTime(ms: number | null | undefined): string | null {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** Reports are compared along one line: a branch of a repository. */
export function readinessLine({ repoUrl, branch }: ReadinessReport): string {
  return `${repositoryKey(repoUrl ?? '')} ${branch ?? ''}`;
}

/** Later reports first; those without a time last, then by id, so that the order is always the same. */
export function newestFirst(reports: readonly ReadinessReport[]): readonly ReadinessReport[] {
  return reports.toSorted(
    (one, other) =>
      (other.createdAt ?? 0) - (one.createdAt ?? 0) || (one.reportId < other.reportId ? 1 : -1),
  );
}

/** The newest earlier report of the same line to compare with; null without one. @param until made by then, Unix ms */
export function baselineOf(
  report: ReadinessReport,
  reports: readonly ReadinessReport[],
  until = Number.POSITIVE_INFINITY,
): ReadinessReport | null {
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

/** Whether others can be compared with it. */
export function isBaseline(report: ReadinessReport): boolean {
  return dirtOf(report).length === 0 && Object.keys(report.report ?? {}).length > 0;
}

/** Whether a repository matches a name: its address in any spelling, or the end of it such as "acme/api". */
export function isOfRepository(url: string, name: string): boolean {
  const key = repositoryKey(url);
  const wanted = repositoryKey(name);
  return key === wanted || key.endsWith(`/${wanted}`);
}

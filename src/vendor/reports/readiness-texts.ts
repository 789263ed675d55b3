import { repositoryKey } from '../client/index.ts';
import { cutText } from '../../text/sanitize.ts';
import type { Compared, CriterionMove, ReadinessComparison, Result } from './compare-readiness.ts';
import type { NoticeTexts } from './control-texts.ts';

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
export function moveText({ criterion, before, after, rationale, warning }: CriterionMove): string {
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

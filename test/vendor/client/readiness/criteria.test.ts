import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareCriteria,
  criterionWarning,
  passShare,
  repositoryKey,
} from '../../../../src/vendor/client/index.ts';
import { ReadinessReport } from '../../../../src/vendor/client/readiness.ts';
import { newestFirst } from '../../../../src/vendor/reports/compare-readiness.ts';
import { report } from '../samples.ts';

const rationale = 'Because';

const judge = (numerator: number, denominator: number): [string | null, number | null] => {
  const criterion = { numerator, denominator, rationale };
  return [criterionWarning(criterion), passShare(criterion)];
};

test('acceptance 101: odd numbers of a criterion get a warning, and nothing divides by 0', () => {
  assert.deepEqual(judge(1, 2), [null, 0.5]);
  assert.deepEqual(judge(0, 1), [null, 0]);
  assert.deepEqual(judge(0, 0), ['denominator is 0, expected at least 1', null]);
  assert.deepEqual(judge(3, 2), ['numerator is 3, expected 0 to 2', 1.5]);
  assert.deepEqual(judge(-1, 2), ['numerator is -1, expected 0 to 2', -0.5]);
  assert.equal(passShare({}), null);
  assert.equal(criterionWarning({ numerator: 1 }), 'denominator is missing');
});

test('acceptance 102: added, removed and changed criteria are distinguished', () => {
  const one = { numerator: 1, denominator: 2, rationale };
  const earlier = ReadinessReport.parse(report({ report: { same: one, gone: one, moved: one } }));
  const later = ReadinessReport.parse(
    report({
      report: {
        same: { ...one, rationale: 'Put otherwise' },
        moved: { ...one, numerator: 2 },
        constructor: one,
      },
    }),
  );

  assert.deepEqual(compareCriteria(earlier, later), {
    added: ['constructor'],
    removed: ['gone'],
    changed: ['moved'],
  });
});

test('acceptance 106, A23: the latest report has the greatest createdAt, whatever the order and the spelling of its address', () => {
  const reports = [
    report({ reportId: 'old', createdAt: 1, repoUrl: 'git@git.test:team/a.git' }),
    report({ reportId: 'none', createdAt: null, repoUrl: 'https://git.test/team/a' }),
    report({ reportId: 'new', createdAt: 3, repoUrl: 'https://git.test/Team/a' }),
    report({ reportId: 'mid', createdAt: 2, repoUrl: 'ssh://git@git.test/team/a.git/' }),
  ].map((item) => ReadinessReport.parse(item));

  assert.deepEqual(
    newestFirst(reports).map(({ reportId }) => reportId),
    ['new', 'mid', 'old', 'none'],
  );
  assert.equal(new Set(reports.map(({ repoUrl }) => repositoryKey(repoUrl ?? ''))).size, 1);
  assert.equal(repositoryKey('https://git.test:8443/team/a'), 'git.test:8443/team/a');
});

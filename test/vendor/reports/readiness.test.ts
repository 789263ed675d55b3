import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redactText } from '../../../src/text/redact.ts';
import { ReadinessReport } from '../../../src/vendor/client/readiness.ts';
import {
  baselineOf,
  compareReadiness,
  type ReadinessComparison,
  regressionTexts,
} from '../../../src/vendor/reports/compare-readiness.ts';
import { report } from '../client/samples.ts';

const made = (fields: object): ReadinessReport =>
  ReadinessReport.parse(report({ branch: 'main', ...fields }));
const passing = (numerator: number, denominator = 2, rationale = 'Because') => ({
  numerator,
  denominator,
  rationale,
});

function compare(before: object, after: object): ReadinessComparison {
  return compareReadiness(
    made({ reportId: 'old', createdAt: 1, commitHash: 'a'.repeat(40), report: before }),
    made({ reportId: 'new', createdAt: 2, commitHash: 'b'.repeat(40), report: after }),
    redactText,
  );
}

const movesOf = ({ moves }: ReadinessComparison): readonly string[] =>
  moves.map(({ criterion, move }) => `${criterion} ${move}`);

test('compareReadiness() sees a criterion that fell though the total rose, and tells added and removed ones apart (acceptance 102)', () => {
  const compared = compare(
    { linter: passing(1), tests: passing(0), gone: passing(1), same: passing(1) },
    { linter: passing(0), tests: passing(2), same: passing(1), fresh: passing(2) },
  );

  assert.deepEqual(movesOf(compared), [
    'linter regressed',
    'gone removed',
    'fresh added',
    'tests improved',
  ]);
  assert.equal(compared.unchanged, 1);
});

test('compareReadiness() compares shares, so that another number of applications is not a regression by itself', () => {
  const compared = compare(
    { half: passing(2, 4), better: passing(3, 4), worse: passing(2, 2) },
    { half: passing(1, 2), better: passing(2, 2), worse: passing(2, 3) },
  );

  assert.deepEqual(movesOf(compared), ['worse regressed', 'half changed', 'better improved']);
});

test('compareReadiness() divides by nothing and calls nothing a regression that cannot be compared (acceptance 101)', () => {
  const compared = compare({ odd: passing(1, 2) }, { odd: passing(0, 0) });

  assert.deepEqual(movesOf(compared), ['odd changed']);
  assert.equal(compared.moves[0]?.warning, 'denominator is 0, expected at least 1');
});

test('compareReadiness() cleans foreign texts and takes secrets out of them', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
  const compared = compare({}, { 'x\u001b[31m\ny': passing(1, 2, `Found ${secret}\r\nBcc: a@b`) });

  assert.equal(compared.moves[0]?.criterion, 'x y');
  assert.equal(compared.moves[0]?.rationale, 'Found [redacted:git-token] Bcc: a@b');
});

test('baselineOf() is the newest earlier clean report of the same branch, in whatever order they come (acceptance 106)', () => {
  const criteria = { report: { linter: passing(1) } };
  const reports = [
    made({ ...criteria, reportId: 'dirty', createdAt: 8, hasLocalChanges: true }),
    made({ ...criteria, reportId: 'older', createdAt: 3 }),
    made({ ...criteria, reportId: 'unpushed', createdAt: 7, hasNonRemoteCommits: true }),
    made({ ...criteria, reportId: 'clean', createdAt: 5, hasLocalChanges: false }),
    made({ ...criteria, reportId: 'branch', createdAt: 9, branch: 'other' }),
    made({ reportId: 'empty', createdAt: 6, report: {} }),
    made({ ...criteria, reportId: 'elsewhere', createdAt: 9, repoUrl: 'https://git.test/b' }),
    made({ ...criteria, reportId: 'newest', createdAt: 10 }),
    made({ ...criteria, reportId: 'later', createdAt: 11 }),
  ];
  const newest = reports.find(({ reportId }) => reportId === 'newest') ?? made({});

  assert.equal(baselineOf(newest, reports)?.reportId, 'clean');
  assert.equal(baselineOf(newest, reports, 4)?.reportId, 'older');
  assert.equal(baselineOf(newest, [newest]), null);
});

test('regressionTexts() names repository, criterion, numbers, rationale, and both commits', () => {
  const compared = compare(
    { linter: passing(1), tests: passing(2) },
    { linter: passing(0, 2, 'No linter is set up'), tests: passing(1, 2, 'Some are gone') },
  );

  const { headline, details } = regressionTexts(compared, compared.moves);

  assert.match(headline, /^Readiness of \S+ fell: linter and 1 more$/);
  assert.equal(
    details,
    [
      'linter 1 of 2 -> 0 of 2: No linter is set up',
      'tests 2 of 2 -> 1 of 2: Some are gone',
      'commit bbbbbbbbbbbb on main of 1970-01-01, compared with commit aaaaaaaaaaaa on main of 1970-01-01',
    ].join('\n'),
  );
});

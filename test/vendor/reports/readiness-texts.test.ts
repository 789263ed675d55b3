import assert from 'node:assert/strict';
import { test } from 'node:test';

import { redactText } from '../../../src/text/redact.ts';
import { ReadinessReport } from '../../../src/vendor/client/readiness.ts';
import {
  baselineOf,
  type Compared,
  compareReadiness,
  isBaseline,
  newestFirst,
  readinessLine,
  regressionTexts,
  reportText,
  resultText,
} from '../../../src/vendor/reports/compare-readiness.ts';
import { report } from '../client/samples.ts';

const made = (fields: object): ReadinessReport => ReadinessReport.parse(report(fields));
const bare = { repoUrl: null, branch: null, commitHash: null, createdAt: null };

const passing = (numerator: number): object => ({ numerator, denominator: 2 });

test('regressionTexts() names a single criterion alone, and says so of an unknown repository', () => {
  const compared = compareReadiness(
    made({ ...bare, reportId: 'r-old', report: { tests: passing(2) } }),
    made({ ...bare, reportId: 'r-new', report: { tests: passing(-1) } }),
    redactText,
  );

  assert.deepEqual(regressionTexts(compared, compared.moves), {
    headline: 'Readiness of a repository fell: tests',
    details: [
      'tests 2 of 2 -> -1 of 2 (numerator is -1, expected 0 to 2)',
      'report r-new, compared with report r-old',
    ].join('\n'),
  });
});

const seventeen = (numerator: number, rationale?: string): object =>
  Object.fromEntries(
    Array.from({ length: 17 }, (_, index) => [
      `c${String(index).padStart(2, '0')}`,
      { ...passing(numerator), rationale },
    ]),
  );

test('regressionTexts() lists fifteen criteria, counts the others, and cuts a long rationale', () => {
  const compared = compareReadiness(
    made({ createdAt: 1, report: seventeen(2) }),
    made({ createdAt: 2, report: seventeen(1, 'x'.repeat(1_000)) }),
    redactText,
  );

  const { headline, details } = regressionTexts(compared, compared.moves);

  assert.match(headline, /fell: c00 and 16 more$/);
  const lines = details.split('\n');
  assert.equal(lines.length, 17);
  assert.match(lines[14] ?? '', /^c14 2 of 2 -> 1 of 2: x/);
  assert.ok((lines[14] ?? '').length < 350);
  assert.equal(lines[15], 'and 2 more: hookbell service readiness diff');
});

for (const { name, fields, text } of [
  { name: 'a report without any facts', fields: {}, text: 'report r1' },
  {
    name: 'a commit, branch and day',
    fields: { commit: 'a'.repeat(40), branch: 'main', createdAt: '2026-04-01T10:00:00.000Z' },
    text: 'commit aaaaaaaaaaaa on main of 2026-04-01',
  },
  {
    name: 'what makes a report dirty',
    fields: { dirt: ['local changes', 'unpushed commits'] },
    text: 'report r1 (with local changes and unpushed commits)',
  },
]) {
  test(`reportText() shows ${name}`, () => {
    const none: Compared = {
      reportId: 'r1',
      createdAt: null,
      commit: null,
      branch: null,
      dirt: [],
    };

    assert.equal(reportText({ ...none, ...fields }), text);
  });
}

test('resultText() marks numbers that are missing, and a criterion that is', () => {
  assert.equal(resultText(null), '-');
  assert.equal(resultText({ numerator: null, denominator: 3 }), '? of 3');
  assert.equal(resultText({ numerator: 0, denominator: null }), '0 of ?');
});

test('compareReadiness() takes a report without criteria for one with none', () => {
  const empty = made({ ...bare, reportId: 'r-empty', report: null });
  const full = made({ reportId: 'r-full', createdAt: 9e15, report: { tests: {} } });

  const gained = compareReadiness(empty, full, redactText);
  const lost = compareReadiness(full, empty, redactText);

  assert.deepEqual(gained.moves, [
    {
      criterion: 'tests',
      move: 'added',
      before: null,
      after: { numerator: null, denominator: null },
      rationale: null,
      warning: 'numerator is missing',
    },
  ]);
  assert.deepEqual(
    lost.moves.map(({ move, after, warning }) => [move, after, warning]),
    [['removed', null, null]],
  );
  assert.equal(lost.repository, null);
  // No such time exists.
  assert.equal(lost.before.createdAt, null);
  assert.deepEqual([gained.unchanged, lost.unchanged], [0, 0]);
});

test('newestFirst() puts reports of the same time in the same order, whatever order they come in', () => {
  const reports = ['a', 'c', 'b'].map((reportId) => made({ reportId, createdAt: 5 }));
  const untimed = made({ reportId: 'z', createdAt: null });

  for (const mixed of [reports, reports.toReversed()]) {
    assert.deepEqual(
      newestFirst([untimed, ...mixed]).map(({ reportId }) => reportId),
      ['c', 'b', 'a', 'z'],
    );
  }
});

test('baselineOf() counts a report without a time as the earliest, and never as a later one', () => {
  const criteria = { report: { tests: passing(1) } };
  const untimed = made({ ...criteria, reportId: 'untimed', createdAt: null });
  const timed = made({ ...criteria, reportId: 'timed', createdAt: 5 });

  assert.equal(baselineOf(timed, [untimed, timed])?.reportId, 'untimed');
  assert.equal(baselineOf(timed, [untimed, timed], -1), null);
  assert.equal(baselineOf(untimed, [untimed, timed]), null);
});

test('isBaseline() refuses reports without criteria', () => {
  assert.equal(isBaseline(made({ report: null })), false);
  assert.equal(isBaseline(made({ report: { tests: passing(1) } })), true);
});

test('readinessLine() tells branches of a repository apart, and unknown ones from known ones', () => {
  const [main, other, none] = ['main', 'other', null].map((branch) =>
    readinessLine(made({ branch, repoUrl: branch === null ? null : 'https://git.test/a' })),
  );

  assert.equal(new Set([main, other, none]).size, 3);
  assert.equal(main, readinessLine(made({ branch: 'main', repoUrl: 'git@git.test:a.git' })));
});

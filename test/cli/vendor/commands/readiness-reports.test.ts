import assert from 'node:assert/strict';
import { test } from 'node:test';

import { defineReadiness } from '../../../../src/cli/vendor/commands/readiness.ts';
import { serviceCommand } from '../../../support/service-command.ts';
import { report } from '../../../vendor/client/samples.ts';
import { json } from '../../../vendor/client/service.ts';

/** The command, and a service with these reports on its only page. */
async function readiness(...reports: readonly object[]) {
  const command = await serviceCommand(defineReadiness);
  command.service.answer(({ path }) =>
    json({ reports: path.includes('startAfter') ? [] : reports }),
  );
  return command;
}

const one = { numerator: 1, denominator: 2 };

test('hookbell service readiness get shows odd criteria with what is odd, and applications with their descriptions', async () => {
  await using command = await readiness(
    report({
      reportId: 'report-1',
      apps: { '.': { description: 'The shop' }, docs: {} },
      report: {
        tests: { denominator: 2 },
        docs: { numerator: 1 },
        linter: { ...one, rationale: 'Half of it' },
      },
    }),
  );

  const { code, stdout } = await command.run(['readiness', 'get', 'report-1']);

  assert.equal(code, 0);
  assert.match(stdout, /^applications +\.: The shop\n +docs$/m);
  assert.match(stdout, /^tests +\? of 2 \(numerator is missing\) +-$/m);
  assert.match(stdout, /^docs +1 of \? \(denominator is missing\) +-$/m);
  assert.match(stdout, /^linter +1 of 2 +Half of it$/m);
});

test('hookbell service readiness get says so of a report without criteria', async () => {
  await using command = await readiness(report({ reportId: 'report-1', report: null }));

  const { code, stdout, stderr } = await command.run(['readiness', 'get', 'report-1']);

  assert.deepEqual([code, stderr], [0, 'The report has no criteria\n']);
  assert.doesNotMatch(stdout, /CRITERION/);
});

test('hookbell service readiness get refuses an ambiguous prefix, and one too short to mean a report', async () => {
  await using command = await readiness(
    report({ reportId: 'report-1' }),
    report({ reportId: 'report-2' }),
  );

  const ambiguous = await command.run(['readiness', 'get', 'report']);
  const short = await command.run(['readiness', 'get', 'rep']);

  assert.deepEqual([ambiguous.code, short.code], [2, 6]);
  assert.match(ambiguous.stderr, /"report" matches 2 reports, expected one/);
  assert.match(short.stderr, /No report "rep"/);
});

test('hookbell service readiness diff compares reports without repository, commit, branch or reasons', async () => {
  const made = { repoUrl: null, branch: null, commitHash: null };
  await using command = await readiness(
    report({ ...made, reportId: 'r-old', createdAt: 1, report: { tests: one } }),
    report({
      ...made,
      reportId: 'r-new',
      createdAt: 86_400_000,
      report: { tests: { numerator: 3, denominator: 2 }, fresh: { denominator: 1 }, new: one },
    }),
  );

  const { code, stdout, stderr } = await command.run(['readiness', 'diff']);

  assert.equal(code, 0);
  assert.match(stdout, /^tests +improved \(numerator is 3, expected 0 to 2\) +1 of 2 +3 of 2 +-$/m);
  assert.match(stdout, /^new +added +- +1 of 2 +-$/m);
  assert.match(stdout, /^fresh +added \(numerator is missing\) +- +\? of 1 +-$/m);
  assert.equal(
    stderr,
    'A repository: report r-new of 1970-01-02, compared with report r-old of 1970-01-01\nUnchanged criteria: 0\n',
  );
});

test('hookbell service readiness diff prints no table where every criterion is as before', async () => {
  await using command = await readiness(
    report({ reportId: 'r-old', createdAt: 1, report: { tests: one } }),
    report({ reportId: 'r-new', createdAt: 2, report: { tests: one } }),
  );

  const { stdout, stderr } = await command.run(['readiness', 'diff', '--repo', 'git.test/a']);

  assert.equal(stdout, '');
  assert.match(stderr, /^Unchanged criteria: 1$/m);
});

for (const { name, reports, words } of [
  {
    name: 'the only earlier report is dirty',
    reports: [
      report({ reportId: 'r-old', createdAt: 1, report: { tests: one }, hasLocalChanges: true }),
      report({ reportId: 'r-new', createdAt: 2, report: { tests: one } }),
    ],
    words: [],
  },
  {
    name: 'no report is of the repository',
    reports: [
      report({ reportId: 'r-old', createdAt: 1, report: { tests: one }, repoUrl: null }),
      report({ reportId: 'r-new', createdAt: 2, report: { tests: one }, repoUrl: null }),
    ],
    words: ['--repo', 'acme/api'],
  },
]) {
  test(`hookbell service readiness diff has nothing to compare where ${name}`, async () => {
    await using command = await readiness(...reports);

    const { code, stderr } = await command.run(['readiness', 'diff', ...words]);

    assert.equal(code, 6);
    assert.match(stderr, /No branch has two clean reports to compare\n.*is not clean/);
  });
}

test('hookbell service readiness list keeps reports it cannot read in its JSON, and leaves out those of other repositories', async () => {
  const odd = { reportId: 'r-odd', createdAt: 'soon' };
  await using command = await readiness(
    report({ reportId: 'r-1', repoUrl: null }),
    report({ reportId: 'r-2', repoUrl: 'https://git.test/acme/api', createdAt: null }),
    report({ reportId: 'r-3', repoUrl: 'git@git.test:acme/api.git', report: { a: one } }),
    odd,
  );

  const words = ['readiness', 'list', '--repo', 'acme/api'];
  const { stdout, stderr } = await command.run(words, { json: true });
  const table = await command.run(words);

  const ids = [...stdout.matchAll(/"reportId": "(.*)"/g)].map(([, id]) => id);
  assert.deepEqual(ids, ['r-3', 'r-2', 'r-odd']);
  assert.match(stderr, /printed unchanged: \$\.reports\[3\]\.createdAt/);
  assert.match(table.stdout, / git@git\.test:acme\/api\.git .* 1 +0 .*r-3$/m);
});

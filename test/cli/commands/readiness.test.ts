import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import { remoteCommandLine } from '../../support/remote-command-line.ts';

const comparison = z.object({
  before: z.object({ reportId: z.string(), commit: z.string().nullable() }),
  after: z.object({ reportId: z.string(), commit: z.string().nullable() }),
  moves: z.array(z.object({ criterion: z.string(), move: z.string() })),
});

test('hookbell readiness diff shows each criterion between the last two clean reports of a repository', async () => {
  await using remote = await remoteCommandLine();

  const { code, stdout, stderr } = await remote.run(['readiness', 'diff', '--repo', 'acme/api']);

  assert.equal(code, 0, stderr);
  assert.match(stdout, /^linter +regressed +1 of 2 +0 of 2 +No linter is set up$/m);
  assert.match(stdout, /^codeowners +added +- +2 of 2 /m);
  assert.match(stderr, /acme\/api: commit [0-9a-f]{12} on main of [\d-]{10}, against commit /);
});

test('hookbell readiness diff leaves a dirty report out of the last two, and marks it when it is named (acceptance 103)', async () => {
  await using remote = await remoteCommandLine();
  const reports = remote.mock.state().reports.filter(({ repoUrl }) => repoUrl.endsWith('web.git'));
  const [newest, dirty, oldest] = reports.toSorted((one, other) => other.createdAt - one.createdAt);

  const last = comparison.parse(await remote.json(['readiness', 'diff', '--repo', 'acme/web']));
  const { stderr } = await remote.run([
    'readiness',
    'diff',
    dirty?.reportId ?? '',
    newest?.reportId.slice(0, 8) ?? '',
  ]);

  assert.deepEqual(
    [last.before.reportId, last.after.reportId],
    [oldest?.reportId, newest?.reportId],
  );
  assert.match(
    stderr,
    /against commit \w+ on main of [\d-]+ \(with local changes and unpushed commits\)/,
  );
});

test('hookbell readiness diff says which repositories there are, and what it cannot find', async () => {
  await using remote = await remoteCommandLine();

  const unnamed = await remote.run(['readiness', 'diff']);
  const unknown = await remote.run(['readiness', 'diff', 'nothing', 'at-all']);
  const single = await remote.run(['readiness', 'diff', '--repo', 'acme/docs']);
  const alone = await remote.run([
    'readiness',
    'diff',
    remote.mock.state().reports[0]?.reportId ?? '',
  ]);

  assert.deepEqual([unnamed.code, unknown.code, single.code, alone.code], [2, 6, 0, 2]);
  assert.match(unnamed.stderr, /Name one with --repo: .*"git\.example\.com\/acme\/api"/);
  assert.match(unknown.stderr, /No report "nothing"/);
});

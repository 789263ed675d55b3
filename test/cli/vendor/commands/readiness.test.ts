import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';

import { remoteCommandLine } from '../../../support/remote-command-line.ts';

const comparison = z.object({
  before: z.object({ reportId: z.string(), commit: z.string().nullable() }),
  after: z.object({ reportId: z.string(), commit: z.string().nullable() }),
  moves: z.array(z.object({ criterion: z.string(), move: z.string() })),
});

test('hookbell service readiness diff shows each criterion between the last two clean reports of a repository', async () => {
  await using remote = await remoteCommandLine();

  const { code, stdout, stderr } = await remote.run([
    'service',
    'readiness',
    'diff',
    '--repo',
    'acme/api',
  ]);

  assert.equal(code, 0, stderr);
  assert.match(stdout, /^linter +regressed +1 of 2 +0 of 2 +No linter is set up$/m);
  assert.match(stdout, /^codeowners +added +- +2 of 2 /m);
  assert.match(
    stderr,
    /acme\/api: commit [0-9a-f]{12} on main of [\d-]{10}, compared with commit /,
  );
});

test('hookbell service readiness diff leaves a dirty report out of the last two, and marks it when it is named (acceptance 103)', async () => {
  await using remote = await remoteCommandLine();
  const reports = remote.mock.state().reports.filter(({ repoUrl }) => repoUrl.endsWith('web.git'));
  const [newest, dirty, oldest] = reports.toSorted((one, other) => other.createdAt - one.createdAt);

  const last = comparison.parse(
    await remote.json(['service', 'readiness', 'diff', '--repo', 'acme/web']),
  );
  const { stderr } = await remote.run([
    'service',
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
    /compared with commit \w+ on main of [\d-]+ \(with local changes and unpushed commits\)/,
  );
});

test('hookbell service readiness diff says which repositories there are, and what it cannot find', async () => {
  await using remote = await remoteCommandLine();

  const unnamed = await remote.run(['service', 'readiness', 'diff']);
  const unknown = await remote.run(['service', 'readiness', 'diff', 'nothing', 'at-all']);
  const single = await remote.run(['service', 'readiness', 'diff', '--repo', 'acme/docs']);
  const alone = await remote.run([
    'service',
    'readiness',
    'diff',
    remote.mock.state().reports[0]?.reportId ?? '',
  ]);

  assert.deepEqual([unnamed.code, unknown.code, single.code, alone.code], [2, 6, 0, 2]);
  assert.match(unnamed.stderr, /Name one with --repo: .*"git\.example\.com\/acme\/api"/);
  assert.match(unknown.stderr, /No report "nothing"/);
});

const listed = z.array(z.object({ reportId: z.string(), createdAt: z.number() }));

test('hookbell service readiness list --max shows the newest of all reports, however the service sorts them (acceptance 106, C9)', async () => {
  await using remote = await remoteCommandLine();
  const newest = remote.mock
    .state()
    .reports.toSorted((one, other) => other.createdAt - one.createdAt)
    .map(({ reportId }) => reportId);

  const few = listed.parse(await remote.json(['service', 'readiness', 'list', '--max', '2']));
  const { stderr } = await remote.run(['service', 'readiness', 'list', '--max', '2']);

  assert.deepEqual(
    few.map(({ reportId }) => reportId),
    newest.slice(0, 2),
  );
  assert.match(stderr, new RegExp(`Showing the newest \\d+ of ${newest.length}`));
});

test('hookbell service readiness list --repo takes what diff takes, and --repo-id what the service takes (acceptance 090, C9)', async () => {
  await using remote = await remoteCommandLine();
  const { reports } = remote.mock.state();

  const { stdout } = await remote.run(['service', 'readiness', 'list', '--repo', 'acme/api']);
  await remote.run(['service', 'readiness', 'list', '--repo-id', 'r-1']);

  const ofApi = reports.filter(({ repoUrl }) => /acme\/api(?:\.git)?$/.test(repoUrl));
  assert.equal(stdout.trimEnd().split('\n').length, ofApi.length + 1);
  assert.equal(remote.mock.requests().at(-1)?.query['repoId'], 'r-1');
});

test('hookbell service readiness get shows one report with each criterion and why (acceptance 099, 100, 103, 104, C9)', async () => {
  await using remote = await remoteCommandLine();
  const report = remote.mock.state().reports.find((one) => Object.keys(one.report).length > 1);
  const id = report?.reportId ?? '';

  const { code, stdout } = await remote.run(['service', 'readiness', 'get', id.slice(0, 8)]);
  const json = z
    .object({ reportId: z.string() })
    .parse(await remote.json(['service', 'readiness', 'get', id]));
  const none = await remote.run(['service', 'readiness', 'get', 'nothing']);

  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^report +${id}$`, 'm'));
  for (const [name, { numerator, denominator }] of Object.entries(report?.report ?? {})) {
    assert.match(stdout, new RegExp(`^${name} +${numerator} of ${denominator} +\\S`, 'm'));
  }
  assert.equal(json.reportId, id);
  assert.equal(none.code, 6);
});

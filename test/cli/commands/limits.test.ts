import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { readCsv } from '../../../src/reports/read-csv.ts';
import type { RemoteCommandLine } from '../../support/remote-command-line.ts';
import { remoteCommandLine } from '../../support/remote-command-line.ts';

/** Writes a file of limits into the home; answers its path. */
async function limitsFile({ cli }: RemoteCommandLine, rows: readonly string[]): Promise<string> {
  const path = join(cli.home, 'limits.csv');
  await writeFile(path, ['email,limit', ...rows, ''].join('\n'));
  return path;
}

async function resultsIn(path: string): Promise<Record<string, string>> {
  const [, ...records] = readCsv(await readFile(path, 'utf8'));
  return Object.fromEntries(
    records.map(({ fields: [email = '', , result = ''] }) => [email, result]),
  );
}

const sent = ({ mock }: RemoteCommandLine): number =>
  mock.requests().filter(({ method }) => method === 'PUT').length;

/** People nobody knows, as many as that. */
const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `stranger${index}@example.com,5`);

test('hookbell limits apply sends a hundred a request and accounts for every row once (acceptance 190, 193)', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, ['ada@example.com,2000000', ...strangers(204)]);

  const { code, stderr } = await remote.run(['limits', 'apply', file]);

  assert.equal(code, 8, stderr);
  assert.equal(sent(remote), 3);
  const results = await resultsIn(file.replace('.csv', '.report.csv'));
  assert.equal(Object.keys(results).length, 205);
  assert.deepEqual(
    [
      results['ada@example.com'],
      results['stranger0@example.com'],
      results['stranger203@example.com'],
    ],
    ['updated', 'error', 'error'],
  );
  assert.match(stderr, /--only-failed/);
});

test('hookbell limits apply ends with 0 where all took effect, and shows what the service made of a limit', async () => {
  await using remote = await remoteCommandLine();
  remote.mock.fault({ effect: { kind: 'limits', fault: 'clamp' } });
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'bruno@example.com,2000000']);

  const { code, stdout } = await remote.run(['limits', 'apply', file]);

  assert.equal(code, 0);
  assert.match(stdout, /^bruno@example\.com +2000000 +updated +1000000/m);
  const report = await readFile(file.replace('.csv', '.report.csv'), 'utf8');
  assert.equal(
    report,
    'email,asked,result,returned_limit,error\r\nada@example.com,2000000,updated,2000000,\r\nbruno@example.com,2000000,updated,1000000,\r\n',
  );
});

test('hookbell limits apply --only-failed sends the rest alone and carries over what was updated', async () => {
  await using remote = await remoteCommandLine();
  const over = remote.mock.fault({ effect: { kind: 'limits', fault: 'silence' } });
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'bruno@example.com,2000000']);
  const report = join(remote.cli.home, 'first.csv');
  const first = await remote.run(['limits', 'apply', file, '--report', report]);
  const before = await resultsIn(report);
  over();

  const second = await remote.run(['limits', 'apply', file, '--only-failed', report]);

  assert.deepEqual([first.code, second.code], [8, 0]);
  assert.deepEqual(before, { 'ada@example.com': 'updated', 'bruno@example.com': 'no answer' });
  assert.deepEqual(await resultsIn(file.replace('.csv', '.report.csv')), {
    'ada@example.com': 'updated',
    'bruno@example.com': 'updated',
  });
  const [last] = remote.mock
    .requests()
    .filter(({ method }) => method === 'PUT')
    .slice(-1);
  assert.deepEqual(remote.mock.state().limits.get('bruno@example.com'), 2_000_000);
  assert.ok(last !== undefined);
});

for (const status of [401, 403]) {
  test(`hookbell limits apply stops at a ${status}: what was updated stays, the rest has no answer`, async () => {
    await using remote = await remoteCommandLine();
    remote.mock.fault({
      match: { method: 'PUT', nth: 2, times: 9 },
      effect: { kind: 'status', status },
    });
    const file = await limitsFile(remote, ['ada@example.com,2000000', ...strangers(250)]);

    const { code } = await remote.run(['limits', 'apply', file]);

    assert.equal(code, 8);
    const results = Object.values(await resultsIn(file.replace('.csv', '.report.csv')));
    assert.equal(results.length, 251);
    assert.deepEqual(
      ['updated', 'error', 'no answer'].map((word) => results.filter((one) => one === word).length),
      [1, 99, 151],
    );
    // A refused key is read once more; nothing is sent after that.
    assert.ok(sent(remote) <= 3);
  });
}

test('hookbell limits apply sends nothing of a file with a mistake, and names the line', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'ada@example.com,many']);

  const { code, stderr } = await remote.run(['limits', 'apply', file]);

  assert.equal(code, 2);
  assert.match(stderr, /line 3: "many" is no number of credits/);
  assert.equal(sent(remote), 0);
});

test('hookbell limits plan shows the directory, the use and a suggestion, and sends nothing', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, [
    'ada@example.com,1',
    'stranger@example.com,5',
    'hoa@example.com,',
  ]);

  const { code, stdout } = await remote.run(['limits', 'plan', file]);

  assert.equal(code, 0);
  assert.match(stdout, /^ada@example\.com +1 +[\d,]+ +[\d,]+0 +below the suggestion$/m);
  assert.match(stdout, /^stranger@example\.com +5 +0 +- +not in the directory$/m);
  assert.match(stdout, /^hoa@example\.com +- .*no limit in the file$/m);
  assert.equal(sent(remote), 0);
});

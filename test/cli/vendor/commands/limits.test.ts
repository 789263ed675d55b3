import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { z } from 'zod';

import { readCsv } from '../../../../src/text/csv.ts';
import type { RemoteCommandLine } from '../../../support/remote-command-line.ts';
import { remoteCommandLine } from '../../../support/remote-command-line.ts';

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

/** `count` unknown users with a limit each. */
const strangers = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `stranger${index}@example.com,5`);

test('hookbell service limits apply sends a hundred a request and accounts for every row once (acceptance 190, 193)', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, ['ada@example.com,2000000', ...strangers(204)]);

  const { code, stderr } = await remote.run(['service', 'limits', 'apply', file]);

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

// Ended with 0 before: a limit that is not the one that was asked for did not take effect (C10).
test('hookbell service limits apply ends with 8 where the service set another limit, and shows which (acceptance 193, C10)', async () => {
  await using remote = await remoteCommandLine();
  remote.mock.fault({ effect: { kind: 'limits', fault: 'clamp' } });
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'bruno@example.com,2000000']);

  const { code, stdout } = await remote.run(['service', 'limits', 'apply', file]);

  assert.equal(code, 8);
  assert.match(
    stdout,
    /^bruno@example\.com +\? → 2000000 +updated +1000000 +the service set another limit$/m,
  );
  const report = await readFile(file.replace('.csv', '.report.csv'), 'utf8');
  assert.equal(
    report,
    'email,asked,result,returned_limit,error\r\nada@example.com,2000000,updated,2000000,\r\nbruno@example.com,2000000,updated,1000000,the service set another limit\r\n',
  );
});

test('hookbell service limits apply --only-failed sends the rest alone and carries over what was updated', async () => {
  await using remote = await remoteCommandLine();
  const over = remote.mock.fault({ effect: { kind: 'limits', fault: 'silence' } });
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'bruno@example.com,2000000']);
  const report = join(remote.cli.home, 'first.csv');
  const first = await remote.run(['service', 'limits', 'apply', file, '--report', report]);
  const before = await resultsIn(report);
  over();

  const second = await remote.run(['service', 'limits', 'apply', file, '--only-failed', report]);

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
  test(`hookbell service limits apply stops at a ${status}: what was updated stays, the rest has no answer`, async () => {
    await using remote = await remoteCommandLine();
    remote.mock.fault({
      match: { method: 'PUT', nth: 2, times: 9 },
      effect: { kind: 'status', status },
    });
    const file = await limitsFile(remote, ['ada@example.com,2000000', ...strangers(250)]);

    const { code } = await remote.run(['service', 'limits', 'apply', file]);

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

test('hookbell service limits apply sends nothing of a file with a mistake, and names the line', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, ['ada@example.com,2000000', 'ada@example.com,many']);

  const { code, stderr } = await remote.run(['service', 'limits', 'apply', file]);

  assert.equal(code, 2);
  assert.match(stderr, /line 3: limit is "many", expected standard credits in digits alone/);
  assert.equal(sent(remote), 0);
});

test('hookbell service limits plan shows the directory, the use and a suggestion, and sends nothing', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, [
    'ada@example.com,1',
    'stranger@example.com,5',
    'hoa@example.com,',
  ]);

  const { code, stdout } = await remote.run(['service', 'limits', 'plan', file]);

  assert.equal(code, 0);
  assert.match(stdout, /^ada@example\.com +1 +[\d,]+ +[\d,]+0 +below the suggestion$/m);
  assert.match(stdout, /^stranger@example\.com +5 +0 +- +not in the directory$/m);
  assert.match(stdout, /^hoa@example\.com +- .*no limit in the file$/m);
  assert.equal(sent(remote), 0);
});

test('hookbell service limits apply sends nothing of a row with surplus cells, and names all faults of the file (C1)', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, [
    'ada@example.com,1,000,000',
    'bruno@example.com,',
    'chloe@example.com,null',
  ]);

  const { code, stderr } = await remote.run(['service', 'limits', 'apply', file]);

  assert.equal(code, 2);
  assert.match(stderr, /line 2: has 4 cells/);
  assert.match(stderr, /line 3: "bruno@example\.com" has no limit/);
  assert.match(stderr, /line 4: limit is "null", .* needs --allow-null/);
  assert.deepEqual(remote.mock.requests(), []);
});

test('hookbell service limits apply refuses a file that is not UTF-8', async () => {
  await using remote = await remoteCommandLine();
  const path = join(remote.cli.home, 'latin.csv');
  await writeFile(path, Buffer.from('email,limit\nm\u00fcller@example.com,5\n', 'latin1'));

  const { code, stderr } = await remote.run(['service', 'limits', 'apply', path]);

  assert.equal(code, 2);
  assert.match(stderr, /is not UTF-8/);
});

for (const limit of ['', ' ', '\t', '\u3000', '0x10', '1e6', '-5', '+5', '1,000', '5.5']) {
  test(`hookbell service limits set refuses the limit ${JSON.stringify(limit)} (C2)`, async () => {
    await using remote = await remoteCommandLine();

    const { code } = await remote.run(['service', 'limits', 'set', `ada@example.com=${limit}`]);

    assert.equal(code, 2);
    assert.deepEqual(remote.mock.requests(), []);
  });
}

test('hookbell service limits set reports all errors together (C2)', async () => {
  await using remote = await remoteCommandLine();

  const { stderr } = await remote.run([
    'service',
    'limits',
    'set',
    'a@b',
    'c=5',
    'd@e=x',
    'f@g=5',
    'F@G=6',
  ]);

  for (const part of [
    '"a@b" has no limit',
    '"c=5" has no email',
    '"d@e=x" has',
    '"F@G" is given twice',
  ]) {
    assert.ok(stderr.includes(part), part);
  }
});

test('hookbell service limits set splits more than a hundred addresses, as apply does (acceptance 190, 215, C10)', async () => {
  await using remote = await remoteCommandLine();
  const words = strangers(101).map((row) => row.replace(',', '='));

  const { stdout } = await remote.run([
    'service',
    'limits',
    'set',
    'ada@example.com=5',
    ...words,
    '--json',
  ]);

  assert.equal(sent(remote), 2);
  assert.equal(z.array(z.unknown()).parse(JSON.parse(stdout)).length, 102);
});

for (const { what, effect, remark } of [
  {
    what: 'the answer is lost after the effect',
    effect: { kind: 'reset', when: 'after' },
    remark: 'the response was lost: the limit may have taken effect',
  },
  {
    what: 'the service fails',
    effect: { kind: 'status', status: 500 },
    remark: 'the response was lost: the limit may have taken effect',
  },
  {
    what: 'the role does not suffice',
    effect: { kind: 'status', status: 403 },
    remark: 'the request failed: the limit did not take effect',
  },
] as const) {
  test(`hookbell service limits set lists every address as "no answer" where ${what} (acceptance 193, C10)`, async () => {
    await using remote = await remoteCommandLine();
    remote.mock.fault({ match: { method: 'PUT', times: 9 }, effect });

    const { code, stdout, stderr } = await remote.run([
      'service',
      'limits',
      'set',
      'ada@example.com=5',
      'bruno@example.com=6',
    ]);

    assert.notEqual(code, 0);
    assert.match(stdout, new RegExp(`^ada@example\\.com +\\? → 5 +no answer +- +${remark}$`, 'm'));
    assert.match(
      stdout,
      new RegExp(`^bruno@example\\.com +\\? → 6 +no answer +- +${remark}$`, 'm'),
    );
    assert.equal(/may have taken effect: check before/.test(stderr), remark.includes('may have'));
  });
}

test('hookbell service limits set --dry-run and its result show the limit before, as far as it was set from here', async () => {
  await using remote = await remoteCommandLine();
  await remote.run(['service', 'limits', 'set', 'ada@example.com=2000000']);
  const before = remote.mock.state().limits.get('ada@example.com');

  const dry = await remote.run([
    'service',
    'limits',
    'set',
    'Ada@example.com=3',
    'hoa@example.com=4',
    '--dry-run',
  ]);
  const result = await remote.run(['service', 'limits', 'set', 'ada@example.com=3']);

  assert.equal(dry.code, 0);
  assert.match(dry.stdout, /^Ada@example\.com +2000000 → 3$/m);
  assert.match(dry.stdout, /^hoa@example\.com +\? → 4$/m);
  assert.match(dry.stderr, /Nothing was sent: 2 would be set/);
  assert.equal(sent(remote), 2);
  assert.equal(before, 2_000_000);
  assert.match(result.stdout, /^ada@example\.com +2000000 → 3 +updated +3 +-$/m);
});

test('hookbell service limits apply --only-failed sends a row again whose limit changed in the file', async () => {
  await using remote = await remoteCommandLine();
  const file = await limitsFile(remote, ['ada@example.com,5']);
  await remote.run(['service', 'limits', 'apply', file]);
  await limitsFile(remote, ['ada@example.com,7']);

  const { code } = await remote.run([
    'service',
    'limits',
    'apply',
    file,
    '--only-failed',
    file.replace('.csv', '.report.csv'),
  ]);

  assert.equal(code, 0);
  assert.equal(remote.mock.state().limits.get('ada@example.com'), 7);
});

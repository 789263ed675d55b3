import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import { lastDays } from '../../../../src/vendor/client/index.ts';
import { remoteCommandLine } from '../../../support/remote-command-line.ts';

const WEEK = ['--from', '2026-03-02', '--to', '2026-03-08'];
const Activity = z.array(
  z.looseObject({
    daily_active_users: z.number(),
    weekly_active_users: z.number(),
    sessions: z.number(),
  }),
);

/** The cells of the last line of a table, from the right end. */
function lastLine(table: string): readonly string[] {
  return (table.trimEnd().split('\n').at(-1) ?? '').split(/ {2,}/);
}

function sum(numbers: readonly number[]): string {
  return numbers.reduce((total, number) => total + number, 0).toLocaleString('en-US');
}

describe('"hookbell service usage"', () => {
  test('asks for the last seven days with data (acceptance 080, 081)', async () => {
    await using remote = await remoteCommandLine();

    const { stdout } = await remote.run(['service', 'usage', 'tokens']);

    const { startDate, endDate } = lastDays(7, Date.now());
    assert.deepEqual(remote.mock.requests()[0]?.query, { startDate, endDate });
    assert.match(stdout, new RegExp(`^DAY \\(UTC\\).*\n${startDate} `));
  });

  test('calls billable_tokens standard credits, in tables and in CSV (acceptance 050)', async () => {
    await using remote = await remoteCommandLine();

    const people = await remote.run(['service', 'usage', 'tokens', ...WEEK, '--by', 'model']);
    const csv = await remote.run(['service', 'usage', 'users', ...WEEK, '--csv']);

    assert.match(people.stdout, /^DAY \(UTC\) +MODEL +STANDARD CREDITS /);
    assert.match(csv.stdout, /^day \(UTC\),user,standard credits,.*,languages,user id\r\n/);
    assert.doesNotMatch(people.stdout + csv.stdout, /billable|\$|€/i);
  });

  test('never adds trailing windows or daily users up over days (acceptance 067, 069)', async () => {
    await using remote = await remoteCommandLine();

    const { stdout } = await remote.run(['service', 'usage', 'activity', ...WEEK]);
    const rows = Activity.parse(await remote.json(['service', 'usage', 'activity', ...WEEK]));

    const total = lastLine(stdout);
    assert.equal(rows.length, 7);
    // "total", then only what may be added up: sessions, messages, messages by users.
    assert.equal(total.length, 4);
    assert.deepEqual(total.slice(0, 2), ['total', sum(rows.map(({ sessions }) => sessions))]);
    for (const people of [
      rows.map((row) => row.daily_active_users),
      rows.map((row) => row.weekly_active_users),
    ]) {
      assert.ok(!total.includes(sum(people)));
    }
  });

  test('never adds clients up to daily users: a person on two would count twice (acceptance 067)', async () => {
    await using remote = await remoteCommandLine();

    const { stdout } = await remote.run([
      'service',
      'usage',
      'activity',
      ...WEEK,
      '--by',
      'client',
    ]);

    assert.match(stdout, /^DAY \(UTC\) +CLIENT +DAILY USERS\n/);
    assert.match(stdout, /non-interactive-cli/);
    assert.doesNotMatch(stdout, /^total/m);
  });

  test('shows tool names with parsing artefacts on one line, cut and quoted (acceptance 062)', async () => {
    await using remote = await remoteCommandLine();
    const from = ['--from', '2026-01-14', '--to', '2026-08-01', '--by', 'tool'];

    const people = await remote.run(['service', 'usage', 'tools', ...from]);
    const csv = await remote.run(['service', 'usage', 'tools', ...from, '--csv']);
    const names = z
      .array(z.looseObject({ group_key: z.string() }))
      .parse(await remote.json(['service', 'usage', 'tools', ...from]))
      .map(({ group_key: name }) => name);

    const broken = names.find((name) => !/^[\w.:/-]{1,80}$/.test(name));
    assert.ok(broken !== undefined, 'the reference service has such a name');
    assert.equal(people.stdout.trimEnd().split('\n').length, names.length + 2);
    assert.ok(people.stdout.split('\n').every((line) => line.length < 120));
    const fields = csv.stdout.match(/(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r\n)/g) ?? [];
    assert.equal(fields.length, (names.length + 1) * 3);
  });

  test('says which days have no data (yet), and does not draw them as zero (acceptance 088)', async () => {
    await using remote = await remoteCommandLine();
    remote.mock.scenario('late-batch');

    const { stdout, stderr } = await remote.run(['service', 'usage', 'tokens']);

    const { endDate } = lastDays(7, Date.now());
    assert.match(stderr, new RegExp(`No data yet \\(not zero\\): ${endDate} \\(UTC\\)`));
    assert.ok(!stdout.includes(endDate));
  });

  test('shows users page by page up to --max, and says that there are more', async () => {
    await using remote = await remoteCommandLine();

    const { stdout, stderr } = await remote.run([
      'service',
      'usage',
      'users',
      ...WEEK,
      '--max',
      '4',
    ]);

    // A header, four rows and their sum.
    assert.equal(stdout.trimEnd().split('\n').length, 6);
    assert.match(stderr, /Showing the first 4: raise --max/);
  });

  test('refuses what cannot be right and sends nothing', async () => {
    await using remote = await remoteCommandLine();

    for (const [words, reason] of [
      [['tokens', '--from', '2026-3-2'], /--from is "2026-3-2", expected a day as YYYY-MM-DD/],
      [['tokens', '--to', '2025-12-24'], /data begins on 2026-01-14/],
      [['tokens', '--by', 'colour'], /Unknown value "colour", expected one of model/],
      [['users', '--max', '0'], /The limit is "0"/],
    ] as const) {
      const { code, stderr } = await remote.run(['service', 'usage', ...words]);

      assert.equal(code, 2, words.join(' '));
      assert.match(stderr, reason);
    }
    assert.deepEqual(remote.mock.requests(), []);
  });

  test('adds up all rows of users by default, and labels what is only a part (acceptance 085, C7)', async () => {
    await using remote = await remoteCommandLine();
    const range = ['service', 'usage', 'users', '--from', '2026-01-14', '--to', '2026-06-30'];

    const whole = await remote.run(range);
    const part = await remote.run([...range, '--max', '5']);

    assert.ok(whole.stdout.split('\n').length > 1_001, 'the walk ended at 1000 rows');
    assert.equal(lastLine(whole.stdout)[0], 'total');
    assert.doesNotMatch(whole.stderr, /Showing the first/);
    assert.equal(part.stdout.trimEnd().split('\n').length, 7);
    assert.equal(lastLine(part.stdout)[0], 'subtotal');
    assert.match(part.stderr, /Showing the first 5: raise --max/);
  });

  test('walks users of a long range by hand with the printed next_cursor (acceptance 085, C3)', async () => {
    await using remote = await remoteCommandLine();
    const question = [
      'service',
      'api',
      'analytics.users',
      '--startDate',
      '2026-03-01',
      '--endDate',
      '2026-04-30',
    ];
    const Page = z.looseObject({
      data: z.array(z.looseObject({ user_id: z.string(), date: z.string() })),
      meta: z.looseObject({ has_more: z.boolean(), next_cursor: z.string() }),
    });
    const rows: string[] = [];
    let cursor: string[] = [];
    let hasMore = true;

    while (hasMore) {
      const page = Page.parse(await remote.json([...question, '--limit', '5', ...cursor]));
      rows.push(...page.data.map(({ user_id: user, date }) => `${user} ${date}`));
      cursor = ['--cursor', page.meta.next_cursor];
      hasMore = page.meta.has_more;
    }
    const people = await remote.run([...question, '--limit', '5']);
    const all = Page.shape.data.parse(
      await remote.json([...question, '--paginate', '--max', '99999']),
    );

    assert.deepEqual(
      rows.toSorted(),
      all.map(({ user_id: user, date }) => `${user} ${date}`).toSorted(),
    );
    assert.ok(
      rows.some((row) => row.endsWith('2026-04-30')) ||
        rows.some((row) => row.includes('2026-04-2')),
    );
    assert.match(
      people.stderr,
      /More items: continue with --cursor "window:2026-03-01:2026-03-31:/,
    );
  });
});

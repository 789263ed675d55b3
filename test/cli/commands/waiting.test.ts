import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { WaitingView } from '../../../src/control/contract.ts';
import { readCsv } from '../../../src/text/csv.ts';
import { commandLine } from '../../support/command-line.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleSessionView } from '../../support/sample-views.ts';

const none = { count: 0, totalMs: 0, workingMs: 0, p50Ms: null, p95Ms: null };
const view: WaitingView = {
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-08T00:00:00.000Z',
  by: 'project',
  rows: [
    {
      key: 'shop',
      asked: { count: 3, totalMs: 95_000, workingMs: 60_000, p50Ms: 20_000, p95Ms: 70_000 },
      done: none,
    },
    {
      key: null,
      asked: none,
      done: { count: 1, totalMs: 3_600_000, workingMs: 0, p50Ms: 3_600_000, p95Ms: 3_600_000 },
    },
  ],
  asked: { count: 3, totalMs: 95_000, workingMs: 60_000, p50Ms: 20_000, p95Ms: 70_000 },
  done: { count: 1, totalMs: 3_600_000, workingMs: 0, p50Ms: 3_600_000, p95Ms: 3_600_000 },
  returns: [
    { channel: 'ntfy', step: 1, count: 3, p50Ms: 8_000, p95Ms: 9_000 },
    { channel: null, step: null, count: 1, p50Ms: null, p95Ms: null },
  ],
  unanswered: { expired: 2, ended: 1 },
  excluded: { gaps: 2, ms: 7_200_000 },
  paused: [],
};

/** Controls except the end of a line, and characters that turn the direction of a text. */
// oxlint-disable-next-line no-control-regex -- these are what must not be there
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

describe('hookbell waiting', () => {
  test('names the sessions that wait for a time', async () => {
    await using cli = await commandLine();
    const paused = [
      sampleSessionView({ state: 'paused', title: 'Build', schedule: { until: null, round: 2 } }),
    ];
    await cli.serve({
      'GET /v1/waiting': () => Promise.resolve({ ...view, paused }),
      'GET /v1/sessions': () => Promise.resolve([]),
      'GET /v1/waits-seen': () => Promise.resolve([]),
    });

    const { stderr } = await cli.run(['waiting']);

    assert.match(stderr, /^Build: paused, time unknown, round 2$/m);
  });

  test('--by request names what is asked again and again, and what was allowed without reading', async () => {
    await using cli = await commandLine();
    const figures = { count: 4, totalMs: 240_000, workingMs: 0, p50Ms: 500, p95Ms: 120_000 };
    const request = {
      allowed: 4,
      denied: 0,
      elsewhere: 1,
      unanswered: 2,
      atOnce: 3,
      risks: ['deletes'],
      agents: { claude: 6 },
      projects: { shop: 6 },
    };
    const rows = [
      { key: 'rm -rf build', asked: figures, done: figures, request },
      {
        key: null,
        asked: figures,
        done: figures,
        request: { ...request, agents: { kimi: 6 }, allowed: 0 },
      },
    ];
    const asked: (string | null)[] = [];
    await cli.serve({
      'GET /v1/waiting': ({ query }) => {
        asked.push(query.get('by'));
        return Promise.resolve({ ...view, by: 'request', rows });
      },
    });

    const { stdout, stderr } = await cli.run(['waiting', '--by', 'request']);

    assert.deepEqual(asked, ['request']);
    assert.match(stdout, /^rm -rf build +6 +4 min +1 s +4 +0 +1 +2 +claude +deletes$/m);
    assert.match(stdout, /^unlike any other +6 /m);
    assert.match(
      stderr,
      /^Allowed without reading, within a second, 3 times: rm -rf build, which deletes$/m,
    );
    assert.match(stderr, /^Not reported whether allowed or denied: requests of kimi$/m);
  });

  test('counts the waits that are open, which the table does not have yet', async () => {
    await using cli = await commandLine();
    const asked: (string | null)[] = [];
    const now = Date.now();
    const open = [90_000, 600_000].map((ms) =>
      sampleSessionView({ state: 'waiting', since: new Date(now - ms).toISOString() }),
    );
    await cli.serve({
      'GET /v1/waiting': () => Promise.resolve({ ...view, rows: [] }),
      'GET /v1/sessions': ({ query }) => {
        asked.push(query.get('state'));
        return Promise.resolve(open);
      },
      'GET /v1/waits-seen': () => Promise.resolve([]),
    });

    const { stderr } = await cli.run(['waiting']);

    assert.match(stderr, /^No wait has ended in this time$/m);
    assert.match(stderr, /^2 sessions wait now, the longest for 10 min: hookbell sessions$/m);
    assert.deepEqual(asked, ['waiting']);
  });

  test('shows both kinds of waits, what brought the person back, and what is not counted', async () => {
    await using cli = await commandLine();
    const queries: URLSearchParams[] = [];
    await cli.serve({
      'GET /v1/waiting': ({ query }) => {
        queries.push(query);
        return Promise.resolve(view);
      },
      'GET /v1/sessions': () => Promise.resolve([]),
      'GET /v1/waits-seen': () =>
        Promise.resolve([
          {
            agent: 'claude',
            by: 'record',
            version: '2.1.332',
            surface: 'claude-vscode',
            count: 3,
            afterMs: 900,
          },
        ]),
    });

    const before = Date.now();
    const { code, stdout, stderr } = await cli.run(['waiting', '--by', 'project']);

    assert.equal(code, 0);
    assert.deepEqual(stdout.split('\n'), [
      'PROJECT  ASKED       TOTAL  AT WORK   P50         P95  DONE  TOTAL  AT WORK  P50  P95',
      'shop         3  1 min 35 s    1 min  20 s  1 min 10 s     0      -        -    -    -',
      '-            0           -        -     -           -     1    1 h      0 s  1 h  1 h',
      'all          3  1 min 35 s    1 min  20 s  1 min 10 s     1    1 h      0 s  1 h  1 h',
      '',
      'BROUGHT BACK BY  STEP  COUNT  P50  P95',
      'ntfy                2      3  8 s  9 s',
      'no notification     -      1    -    -',
      '',
    ]);
    assert.equal(
      stderr,
      'Not counted, because no one answered: 1 ended with their session, 2 expired\n' +
        '2 gaps in which the machine was asleep or the daemon did not run; 2 h of waits excluded\n' +
        'In 30 days: Claude Code 2.1.332: 3 waits, 3 without a hook (3 in claude-vscode), known after 0.9 s without\n',
    );
    const since = Number(queries[0]?.get('since'));
    assert.ok(Math.abs(before - 7 * 86_400_000 - since) < 60_000);
    assert.equal(queries[0]?.get('by'), 'project');
  });

  test('prints the same figures as JSON and as CSV in ms', async () => {
    await using cli = await commandLine();
    await cli.serve({ 'GET /v1/waiting': () => Promise.resolve(view) });

    const json = await cli.run(['waiting', '--json', '--since', '2026-01-01']);
    const csv = await cli.run(['waiting', '--csv', '--since', '30d']);

    assert.deepEqual(JSON.parse(json.stdout), view);
    assert.deepEqual(csv.stdout.split(/\r?\n/), [
      'project,asked_count,asked_total_ms,asked_working_ms,asked_p50_ms,asked_p95_ms,done_count,done_total_ms,done_working_ms,done_p50_ms,done_p95_ms',
      'shop,3,95000,60000,20000,70000,0,0,0,,',
      ',0,0,0,,,1,3600000,0,3600000,3600000',
      '',
    ]);
  });

  test('hostile names are texts: no escapes, no further lines, no formulas (fault 52)', async () => {
    await using cli = await commandLine();
    const names = [...hostileTexts, '=cmd|/c calc', '+1', '-1', '@SUM(A1)', '\t=1'];
    const rows = names.map((key) => ({ key, asked: view.asked, done: none }));
    const returns = names.map((channel) => ({ channel, step: 0, count: 1, p50Ms: 1, p95Ms: 1 }));
    await cli.serve({
      'GET /v1/waiting': () => Promise.resolve({ ...view, rows, returns }),
      'GET /v1/sessions': () => Promise.resolve([]),
      'GET /v1/waits-seen': () => Promise.resolve([]),
    });

    const table = await cli.run(['waiting', '--by', 'project']);
    const csv = await cli.run(['waiting', '--by', 'machine', '--csv']);
    const json = await cli.run(['waiting', '--by', 'project', '--json']);

    for (const text of [table.stdout, csv.stdout, json.stdout]) {
      assert.ok(!UNSAFE.test(text));
    }
    assert.equal(table.stdout.split('\n').length, 2 * names.length + 5);
    const lines = readCsv(csv.stdout);
    assert.equal(lines.length, names.length + 1);
    assert.ok(!/(?:^|\n)"?[=+\-@\t]/.test(csv.stdout));
    assert.deepEqual(
      JSON.parse(json.stdout).rows.map(({ key }: { readonly key: string }) => key),
      names,
    );
  });

  test('refuses an unknown dimension', async () => {
    await using cli = await commandLine();

    const { code, stderr } = await cli.run(['waiting', '--by', 'person']);

    assert.equal(code, 2);
    assert.match(stderr, /Unknown value "person", expected one of day, project/);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { WaitingDimension, WaitingFigures, WaitingRow } from '../../src/core/waiting.ts';
import { waitingHtml, waitingToday } from '../../src/page/waiting-html.ts';
import { sampleWaitingView } from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

const none: WaitingFigures = { count: 0, totalMs: 0, workingMs: 0, p50Ms: null, p95Ms: null };
const some: WaitingFigures = {
  count: 2,
  totalMs: 600_000,
  workingMs: 60_000,
  p50Ms: 300_000,
  p95Ms: 540_000,
};

function page(fields: Parameters<typeof sampleWaitingView>[0], days: readonly WaitingRow[] = []) {
  return waitingHtml(sampleWaitingView(fields), sampleWaitingView({ rows: days }), {
    days: 7,
    open: [],
  });
}

/** The words of each row of the tables. */
function rowsOf(html: string): readonly string[] {
  return [...html.matchAll(/<tr>(<th scope="row">.*?)<\/tr>/g)].map(([, row = '']) => wordsIn(row));
}

describe('waitingHtml()', () => {
  test('shows figures where there are waits', () => {
    const words = wordsIn(
      page({
        asked: some,
        done: { ...some, count: 1 },
        unanswered: { ended: 2, expired: 1 },
        excluded: { gaps: 1, ms: 5_000 },
      }),
    );

    assert.match(
      words,
      /Agents waited for answers 10 min 2 requests, 1 min in working hours Median answer 5 min 95 % within 9 min Idle after a turn 10 min 1 turn, median 5 min Not answered 3 1 gap left out/,
    );
  });

  test('says in words where there are none', () => {
    const words = wordsIn(page({ asked: none, done: none }));

    assert.match(words, /Median answer – No request was answered/);
    assert.match(words, /Idle after a turn 0 s No prompt followed a turn/);
    assert.match(words, /By .* No wait has ended in this period\./);
    assert.match(words, /What brought you back No one has come back yet\./);
  });

  for (const [by, label] of [
    ['project', 'unknown'],
    ['channel', 'no notification'],
    ['machine', 'this machine'],
  ] satisfies [WaitingDimension, string][]) {
    test(`names a row without a ${by} "${label}"`, () => {
      const html = page({
        by,
        rows: [
          { key: null, asked: some, done: none },
          { key: 'build', asked: none, done: some },
        ],
      });

      assert.deepEqual(rowsOf(html), [
        `${label} 10 min 2 5 min 9 min 0 s`,
        'build 0 s 0 – – 10 min',
      ]);
    });
  }

  test('shows what brought people back, by channel and step', () => {
    const html = page({
      returns: [
        { channel: 'team', step: 1, count: 3, p50Ms: 60_000, p95Ms: 120_000 },
        { channel: null, step: null, count: 1, p50Ms: null, p95Ms: null },
      ],
    });

    assert.deepEqual(rowsOf(html), ['team step 2 3 1 min 2 min', 'none 1 – –']);
  });

  test('marks the period and the dimension that are shown, and keeps the other in each link', () => {
    const html = page({ by: 'agent' });

    const current = [...html.matchAll(/<a href="([^"]*)" aria-current="true">([^<]*)</g)];
    assert.deepEqual(
      current.map(([, link, text]) => [link, text]),
      [
        ['<root>waiting?by=agent&amp;days=7', '7 days'],
        ['<root>waiting?by=agent&amp;days=7', 'Agent'],
      ],
    );
    assert.match(html, /by=agent&amp;days=1">Last day</);
    assert.match(html, /by=machine&amp;days=7">Machine</);
  });
});

const day = (number: number, fields: Partial<WaitingRow> = {}): WaitingRow => ({
  key: `2026-03-${String(number).padStart(2, '0')}`,
  asked: none,
  done: none,
  ...fields,
});

const ticksOf = (count: number): readonly string[] =>
  [
    ...page(
      {},
      Array.from({ length: count }, (_, index) => day(index + 1)),
    ).matchAll(/<text class="tick"[^>]*>([^<]*)</g),
  ].map(([, text = '']) => text);

describe('the chart of the days', () => {
  test('is left out for a single day', () => {
    assert.doesNotMatch(page({}, [day(1, { asked: some })]), /<svg/);
  });

  test('puts the idle time on top of the wait, and the longest day at the full height', () => {
    const html = page({}, [
      day(1, { asked: some, done: some }),
      day(2, { asked: { ...some, totalMs: 300_000 } }),
    ]);

    const bars = [
      ...html.matchAll(
        /<rect class="(bar[^"]*)" x="[^"]*" y="([^"]*)" width="[^"]*" height="([^"]*)"/g,
      ),
    ];
    assert.deepEqual(
      bars.map(([, name, y, height]) => [name, y, height]),
      [
        ['bar', '80.0', '80.0'],
        ['bar rest', '0.0', '80.0'],
        ['bar', '120.0', '40.0'],
        ['bar rest', '120.0', '0.0'],
      ],
    );
    assert.match(html, /<title>2026-03-01: 10 min for answers, 10 min idle<\/title>/);
  });

  test('names every day of a week, and every third of a month', () => {
    assert.deepEqual(ticksOf(3), ['03-01', '03-02', '03-03']);
    assert.deepEqual(ticksOf(30).slice(0, 3), ['03-01', '03-04', '03-07']);
    assert.equal(ticksOf(30).length, 10);
  });
});

const since = '2026-03-01T00:00:00.000Z';
const at = Date.parse('2026-03-01T10:00:00.000Z');

test('waitingToday() counts the answers of today', () => {
  assert.equal(
    wordsIn(waitingToday({ asked: some, since }, [], at)),
    'Waiting time today 10 min 2 answers, median 5 min',
  );
  assert.equal(
    wordsIn(waitingToday({ asked: none, since }, [], at)),
    'Waiting time today 0 s no request was answered yet',
  );
});

test('waitingToday() counts sessions that still wait, from midnight on', () => {
  const open = [{ since: '2026-03-01T09:46:00.000Z' }, { since: '2026-02-28T20:00:00.000Z' }];

  const html = waitingToday({ asked: none, since }, open, at);

  assert.match(html, /<strong>10 h 14 min<\/strong>/);
  assert.match(html, /2 waiting now, the longest for <age 2026-02-28T20:00:00\.000Z>/);
});

test('waitingHtml() counts the sessions that still wait', () => {
  const html = waitingHtml(sampleWaitingView({}), sampleWaitingView({}), {
    days: 7,
    open: [{ since: '2026-03-01T09:46:00.000Z' }],
  });

  assert.match(html, /Waiting now<\/span><strong>1<\/strong>.*?<age 2026-03-01T09:46:00\.000Z>/);
});

test('waitingHtml() shows by request what became of it, and its risks', () => {
  const request = {
    allowed: 3,
    denied: 1,
    elsewhere: 2,
    unanswered: 1,
    atOnce: 0,
    risks: ['force-pushes', 'later <b>'],
    agents: { claude: 5 },
    projects: {},
  };
  const html = page({
    by: 'request',
    rows: [{ key: 'git push:*', asked: some, done: none, request }],
  });

  assert.match(
    wordsIn(html),
    /Request Waited Requests Median Allowed Denied Elsewhere No answer Risks git push:\* 10 min 3 5 min 3 1 2 1 overwrites history, later &lt;b&gt;/,
  );
});

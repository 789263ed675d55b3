import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { WaitingFigures, WaitingReport } from '../../../src/core/waiting.ts';
import { createRedactor } from '../../../src/text/redact.ts';
import {
  ActivityRow,
  ProductivityRow,
  TokenRow,
  ToolRow,
} from '../../../src/vendor/client/analytics/rows.ts';
import { ControlChange } from '../../../src/vendor/client/controls.ts';
import { ReadinessReport } from '../../../src/vendor/client/readiness.ts';
import { controlsSection, readinessSection } from '../../../src/vendor/reports/digest-audit.ts';
import { digestDays, type Section } from '../../../src/vendor/reports/digest-blocks.ts';
import { creditSection, toolSection } from '../../../src/vendor/reports/digest-credits.ts';
import {
  activitySection,
  autonomySection,
  personalDigest,
  productivitySection,
} from '../../../src/vendor/reports/digest-people.ts';
import { readDigestAudit } from '../../../src/vendor/reports/digest-report.ts';
import { waitingSection } from '../../../src/vendor/reports/digest-waiting.ts';
import { creditSeries } from '../../../src/vendor/reports/series.ts';
import { report } from '../client/samples.ts';
import { json, openService } from '../client/service.ts';

const DAY = '2026-04-17';
const period = digestDays(DAY, 'day');
const week = digestDays(DAY, 'week');
const redactor = createRedactor({ prefixes: [], keys: [] });
const redact = redactor.text;

/** Of a block's title: its bars as "label value". */
function bars(section: Section | null, title: string): readonly string[] {
  return (section?.blocks ?? []).flatMap((block) =>
    block.type === 'bars' && block.title === title
      ? block.bars.map(({ label, value, change }) => `${label} ${value}${change ?? ''}`)
      : [],
  );
}

function figures(section: Section | null | undefined): readonly string[] {
  return (section?.blocks ?? []).flatMap((block) =>
    block.type === 'figures' ? block.figures.map(({ label, value }) => `${label}: ${value}`) : [],
  );
}

const atNoon = (day: string): number => Date.parse(`${day}T12:00:00Z`);
const passing = (numerator: number): object => ({ numerator, denominator: 2 });
const reports = (...all: readonly object[]): readonly ReadinessReport[] =>
  all.map((fields) => ReadinessReport.parse(report(fields)));

test('readinessSection() counts reports of an unknown repository, and only those of its days', () => {
  const made = { repoUrl: null, branch: null };
  const section = readinessSection(
    reports(
      { ...made, reportId: 'old', createdAt: atNoon('2026-04-01'), report: { a: passing(2) } },
      { ...made, reportId: 'new', createdAt: atNoon(DAY), report: { a: passing(1) } },
      { ...made, reportId: 'untimed', createdAt: null, report: { a: passing(0) } },
    ),
    period.days,
    redact,
  );

  assert.deepEqual(figures(section), [
    'reports: 1',
    'criterion that fell: 1',
    'criteria that rose: 0',
  ]);
  assert.deepEqual(bars(section, 'criteria that fell'), ['unnamed 1']);
});

test('readinessSection() compares nothing where no report is older, and is left out without reports', () => {
  const first = reports({ createdAt: atNoon(DAY), report: { a: passing(1) } });

  assert.deepEqual(figures(readinessSection(first, period.days, redact)), [
    'reports: 1',
    'criteria that fell: 0',
    'criteria that rose: 0',
  ]);
  assert.equal(readinessSection([], period.days, redact), null);
  assert.equal(readinessSection(null, period.days, redact), null);
});

test('readinessSection() says "criterion" of one that rose', () => {
  const section = readinessSection(
    reports(
      { reportId: 'old', createdAt: atNoon('2026-04-01'), report: { a: passing(1) } },
      { reportId: 'new', createdAt: atNoon(DAY), report: { a: passing(2) } },
    ),
    period.days,
    redact,
  );

  assert.equal(figures(section)[2], 'criterion that rose: 1');
});

test('controlsSection() counts only changes of its days, and the oldest one without what it changed', () => {
  const changes = [
    { revision: 5, settings: { a: 1 }, updatedAt: '2026-04-18T00:00:00Z' },
    { revision: 4, settings: { a: 1, 'b c': 1 } },
    { revision: 3, settings: { 'b c': 2 }, updatedAt: `${DAY}T23:59:59Z` },
  ].map((change) => ControlChange.parse(change));
  const options = { users: true, redactor };

  const section = controlsSection(changes, period.days, options);

  assert.deepEqual(figures(section), ['changes: 1', 'that loosened something: 0']);
  assert.deepEqual(bars(section, 'by setting'), []);
  assert.deepEqual(bars(section, 'by user'), ['Someone 1']);
  assert.equal(controlsSection(changes.slice(0, 2), period.days, options), null);
});

test('readDigestAudit() reads the history as long as it cannot tell how old a change is', async () => {
  const changes = [
    { revision: 3, updatedAt: `${DAY}T10:00:00Z` },
    { revision: 2 },
    { revision: 1, updatedAt: '2026-04-01T10:00:00Z' },
    { revision: 0, updatedAt: '2026-03-01T10:00:00Z' },
  ];
  await using service = await openService(json({ changes, pagination: { hasMore: false } }));
  const wanted = { readiness: false, controls: true };

  const audit = await readDigestAudit(service.client(), wanted, period.days);

  assert.deepEqual(
    audit.changes?.map(({ revision }) => revision),
    [3, 2, 1],
  );
});

test('readDigestAudit() does without what is refused, but not where its caller gave up', async () => {
  await using service = await openService(json({}, 403));
  const wanted = { readiness: true, controls: false };
  const api = service.client();
  const signal = AbortSignal.abort(new Error('Enough'));

  const audit = await readDigestAudit(api, wanted, period.days);

  assert.deepEqual([audit.reports, audit.remarks.length], [null, 1]);
  await assert.rejects(readDigestAudit(api, wanted, period.days, { signal }), /^Error: Enough$/);
});

const tokens = (...rows: readonly object[]): readonly TokenRow[] =>
  rows.map((row) => TokenRow.parse(row));

const creditsOn = (date: string, credits: number): object => ({
  date,
  billable_tokens: credits,
  by_model: [{ model_id: 'aurora', billable_tokens: credits }],
});

test('creditSection() shows who used credits on the days it knows of a week, and compares whole weeks only', () => {
  const options = { users: false, rate: null, redactor };
  const whole = Array.from({ length: 14 }, (_, index) =>
    creditsOn(`2026-04-${String(4 + index).padStart(2, '0')}`, index < 7 ? 10 : 20),
  );

  const partial = creditSection(
    tokens(creditsOn(DAY, 30), creditsOn('2026-04-16', 10)),
    week,
    options,
  );
  const complete = creditSection(tokens(...whole), week, options);

  assert.deepEqual(bars(partial, 'by model'), ['aurora 40 (100 %)']);
  assert.deepEqual(bars(complete, 'by model'), ['aurora 140 (100 %)+100 %']);
});

test('creditSection() shows no share of a total that is unknown', () => {
  const rows = tokens({
    date: DAY,
    billable_tokens: null,
    by_model: [{ model_id: 'aurora', billable_tokens: 5 }],
  });

  const section = creditSection(rows, period, { users: false, rate: null, redactor });

  assert.deepEqual(bars(section, 'by model'), ['aurora 0']);
});

test('creditSeries() counts what has no name as unknown, and what has no amount as zero', () => {
  const { models, users } = creditSeries(
    tokens(
      {
        date: DAY,
        by_model: [{ billable_tokens: 5 }, { model_id: 'aurora' }],
        by_user: [{ billable_tokens: 3 }, { user_email: '', user_id: 'U1' }],
      },
      { date: '2026-04-16', by_model: null },
    ),
  );

  const shown = (all: typeof models) =>
    [...all].map(([name, series]) => [name, Object.fromEntries(series)]);
  assert.deepEqual(shown(models), [
    ['unknown', { [DAY]: 5 }],
    ['aurora', { [DAY]: 0 }],
  ]);
  assert.deepEqual(shown(users), [
    ['unknown', { [DAY]: 3 }],
    ['u1', { [DAY]: 0 }],
  ]);
});

test('toolSection() names what has no name, a hook with a matcher too, and leaves out what has no count', () => {
  const rows = [
    ToolRow.parse({
      date: DAY,
      skills_by_name: [{ count: 2 }, { name: 'idle' }],
      hooks_by_event: [
        { event: null, matcher: 'Edit', count: 3 },
        { event: 'Stop', matcher: '', count: 2 },
        { event: 'PostToolUse', matcher: 'Edit', count: 1 },
      ],
    }),
  ];

  const section = toolSection(rows, period, redact);

  assert.deepEqual(bars(section, 'skills'), ['unnamed 2']);
  assert.deepEqual(bars(section, 'hooks'), ['unnamed (Edit) 3', 'Stop 2', 'PostToolUse (Edit) 1']);
});

test('productivitySection() adds up languages, nameless ones too', () => {
  const rows = [
    ProductivityRow.parse({
      date: DAY,
      by_language: [{ count: 2 }, { language: 'TypeScript' }, { language: 'Go', count: 1 }],
    }),
    ProductivityRow.parse({ date: '2026-04-16', by_language: null }),
  ];

  assert.deepEqual(bars(productivitySection(rows, week, redact), 'files by language'), [
    'unnamed 2',
    'Go 1',
  ]);
});

test('autonomySection() shows levels that have a share, and "-" for a ratio that is missing', () => {
  const levels = { auto_high: 0.75, manual: null, brand_new: 0.25 };
  const row = ToolRow.parse({
    date: DAY,
    autonomy_ratio_avg: 2.345,
    tool_autonomy_level_ratio: levels,
  });

  const section = autonomySection([row], period, redact);

  assert.deepEqual(figures(section), [
    'tool calls per user turn, mean: 2.3',
    'median: -',
    '90th percentile: -',
  ]);
  assert.deepEqual(bars(section, 'by level'), ['auto high 75 %', 'brand new 25 %']);
  assert.equal(autonomySection([row], digestDays('2026-04-18', 'day'), redact), null);
});

test('activitySection() shows zero people for a count that is missing', () => {
  const section = activitySection([ActivityRow.parse({ date: DAY })], period, redact);

  assert.deepEqual(figures(section).slice(0, 3), [
    `active users on ${DAY}: 0`,
    'in the last 7 days: 0',
    'in the last 30 days: 0',
  ]);
});

test('personalDigest() covers a week, with the cost where there is a rate and no share of nothing', () => {
  const rows = tokens({
    date: DAY,
    billable_tokens: 0,
    by_user: [{ user_email: 'ann@x.test', billable_tokens: 50 }],
  });
  const rate = { price: 2, per: 100, currency: 'EUR' };

  const digest = personalDigest(rows, DAY, { person: 'ann@x.test', every: 'week', rate });
  const stranger = personalDigest(rows, DAY, { person: 'x@x.test', every: 'day', rate: null });

  assert.equal(digest.title, `Your agents from 2026-04-11 to ${DAY} (UTC): 50 standard credits`);
  assert.deepEqual(figures(digest.sections[0]), [
    'standard credits: 50',
    'cost: 1.00 EUR (estimate)',
  ]);
  assert.deepEqual(figures(stranger.sections[0]), ['standard credits: not available yet']);
});

const none: WaitingFigures = { count: 0, totalMs: 0, workingMs: 0, p50Ms: null, p95Ms: null };
const some: WaitingFigures = {
  count: 2,
  totalMs: 600_000,
  workingMs: 60_000,
  p50Ms: 240_000,
  p95Ms: 360_000,
};

/** Waits of one day; `fields` are those a test is about. */
function waits(fields: Partial<WaitingReport>): WaitingReport {
  const empty = { rows: [], returns: [], unanswered: {} };
  const excluded = { gaps: 0, ms: 0 };
  return {
    by: 'project',
    since: 0,
    until: 0,
    asked: none,
    done: none,
    excluded,
    ...empty,
    ...fields,
  };
}

for (const { name, asked, done, shown } of [
  {
    name: 'only turns ended',
    asked: none,
    done: some,
    shown: ['0 s', '-', '-', '-', '10 min'],
  },
  {
    name: 'only questions were asked',
    asked: some,
    done: none,
    shown: ['10 min', '4 min', '6 min', '1 min', '-'],
  },
]) {
  test(`waitingSection() shows "-" and not zero for what did not occur where ${name}`, () => {
    const projects = waits({ asked, done });

    const section = waitingSection(
      { projects, before: waits({}), course: waits({}), requests: waits({}) },
      period,
      redact,
    );

    assert.deepEqual(
      figures(section).map((text) => text.replace(/^.*: /, '')),
      shown,
    );
  });
}

test('waitingSection() names waits outside projects and returns without a notification', () => {
  const returned = { p50Ms: null, p95Ms: null };
  const projects = waits({
    asked: some,
    rows: [{ key: null, asked: some, done: none }],
    returns: [
      { ...returned, channel: 'team', step: 1, count: 3 },
      { ...returned, channel: null, step: null, count: 2 },
      { ...returned, channel: 'mail', step: null, count: 1 },
    ],
  });
  const course = waits({ by: 'day', rows: [{ key: DAY, asked: some, done: none }] });
  const keys = ['npm test:*', 'git push:*', null, 'ls:*'];
  const requests = waits({ rows: keys.map((key) => ({ key, asked: some, done: none })) });

  const section = waitingSection({ projects, before: waits({}), course, requests }, period, redact);

  assert.deepEqual(bars(section, 'until answers, by project'), ['no project 10 min']);
  assert.deepEqual(bars(section, 'until answers, by request'), [
    'git push:* 10 min',
    'npm test:* 10 min',
    'unlike any other 10 min',
  ]);
  assert.deepEqual(bars(section, 'brought back by'), [
    'team, step 2 3',
    'no notification 2',
    'mail, step 1 1',
  ]);
  const drawn = section?.blocks.find(({ type }) => type === 'course');
  assert.ok(drawn?.type === 'course');
  assert.equal(drawn.points.length, 28);
  // A day without a wait is not a day of zero: the daemon may not have run.
  assert.deepEqual(drawn.points.slice(-2), [
    { day: '2026-04-16', amount: null },
    { day: DAY, amount: 10 },
  ]);
  assert.equal(
    waitingSection({ projects: waits({}), before: waits({}), course, requests }, period, redact),
    null,
  );
});

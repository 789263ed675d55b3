import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { DONE_LIMIT_MS, measureBy, workingMs } from '../../src/alerts/measure-wait.ts';
import { includesTime } from '../../src/alerts/quiet.ts';
import { figuresOf, waitingReport } from '../../src/alerts/waiting-report.ts';
import { type WaitKind, type WaitSeries, waitingDimensions } from '../../src/core/waiting.ts';
import { arbitraryPolicy } from '../support/arbitrary-policy.ts';
import { arbitraryStream } from '../support/arbitrary-stream.ts';
import { ALL_DAY, waitingRun } from '../support/waiting-run.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T = Date.UTC(2026, 2, 27, 8);
const berlin = { from: 540, to: 1_080, timezone: 'Europe/Berlin', days: [1, 2, 3, 4, 5] };

const instant = fc.integer({ min: 0, max: 100 * HOUR }).map((ms) => T + ms);
const span = fc
  .tuple(instant, fc.integer({ min: 0, max: 30 * HOUR }))
  .map(([from, ms]) => ({ from, to: from + ms }));
const gaps = fc.array(
  span.map((one) => ({ ...one, cause: 'asleep' as const })),
  { maxLength: 5 },
);

test('a wait is as long as its period without the union of the gaps, to the second', () => {
  fc.assert(
    fc.property(span, gaps, ({ from, to }, between) => {
      const wait = { kind: 'needs.input' as const, since: from, until: to };
      const measured = measureBy(ALL_DAY)(wait, between);

      const step = 1_000;
      let outside = 0;
      for (let at = from; at < to; at += step) {
        if (!between.some((gap) => gap.from <= at && at < gap.to)) outside += step;
      }
      assert.ok(Math.abs(measured.waitedMs - outside) <= step * (between.length * 2 + 1));
      assert.equal(measured.waitedMs + measured.gapMs, to - from);
      assert.equal(measured.workingMs, measured.waitedMs);
    }),
    { numRuns: 60 },
  );
});

test('workingMs() agrees with a walk by minutes, also when clocks are set', () => {
  fc.assert(
    fc.property(span, ({ from, to }) => {
      const start = from - (from % MINUTE);
      const end = to - (to % MINUTE);
      let walked = 0;
      for (let at = start; at < end; at += MINUTE) if (includesTime(berlin, at)) walked += MINUTE;

      assert.equal(workingMs({ from: start, to: end }, berlin), walked);
    }),
    { numRuns: 25 },
  );
});

test('working hours follow the clocks: the same wall time a week apart, over the change of March', () => {
  const friday = Date.UTC(2026, 2, 27, 7);
  const monday = Date.UTC(2026, 2, 30, 6);
  const kind: WaitKind = 'needs.input';
  for (const since of [friday, monday]) {
    const measured = measureBy(berlin)({ kind, since, until: since + 2 * HOUR }, []);
    // From 08:00 to 10:00 in Berlin, of which the hour from 09:00 counts.
    assert.equal(measured.workingMs, HOUR);
  }
  assert.equal(
    measureBy(berlin)({ kind, since: Date.UTC(2026, 2, 28, 23, 30), until: T }, []).day,
    '2026-03-29',
  );
});

test('the end of a turn counts up to an hour outside of gaps', () => {
  const wait = { kind: 'turn.done' as const, since: T, until: T + 9 * HOUR };
  const between = [{ from: T + MINUTE, to: T + HOUR, cause: 'off' as const }];

  const measured = measureBy(berlin)(wait, between);

  assert.equal(measured.waitedMs, DONE_LIMIT_MS);
  assert.equal(measured.gapMs, 59 * MINUTE);
});

const series: fc.Arbitrary<WaitSeries> = fc.record({
  day: fc.constantFrom('2026-01-05', '2026-01-06'),
  kind: fc.constantFrom('needs.permission', 'needs.input', 'turn.done', 'turn.failed'),
  agent: fc.constantFrom('claude', 'codex'),
  project: fc.constantFrom('shop', null),
  machine: fc.constantFrom('laptop', null),
  ending: fc.constantFrom('terminal', 'remote', 'prompt', 'replaced', 'ended', 'expired'),
  channel: fc.constantFrom('ntfy', 'desktop', null),
  step: fc.constantFrom(0, 1, null),
  workingMs: fc.nat(1_000),
  gapMs: fc.nat(1_000),
  waitsMs: fc.array(fc.nat(100_000), { minLength: 1, maxLength: 5 }),
  returnsMs: fc.array(fc.nat(100_000), { maxLength: 5 }),
});

test('waitingReport() sums to the same by any dimension, and leaves out only what has no answer', () => {
  fc.assert(
    fc.property(
      fc.array(series),
      fc.constantFrom(...waitingDimensions.filter((by) => by !== 'request')),
      (all, by) => {
        const report = waitingReport(all, { since: 0, until: T, by, gaps: [] });
        const { rows, asked, done, returns, unanswered } = report;

        const sum = (count: (row: (typeof rows)[number]) => number): number =>
          rows.reduce((total, row) => total + count(row), 0);
        assert.equal(
          sum((row) => row.asked.totalMs),
          asked.totalMs,
        );
        assert.equal(
          sum((row) => row.done.totalMs),
          done.totalMs,
        );
        assert.equal(
          sum((row) => row.asked.workingMs + row.done.workingMs),
          asked.workingMs + done.workingMs,
        );
        const counted = asked.count + done.count;
        assert.equal(
          returns.reduce((total, { count }) => total + count, 0),
          counted,
        );
        const left = Object.values(unanswered).reduce((total, count) => total + count, 0);
        assert.equal(counted + left, all.flatMap(({ waitsMs }) => waitsMs).length);
        assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
      },
    ),
  );
});

function waits(fields: Partial<WaitSeries>): WaitSeries {
  return {
    day: '2026-01-05',
    kind: 'needs.input',
    agent: 'claude',
    project: null,
    machine: null,
    ending: 'terminal',
    channel: 'ntfy',
    step: 0,
    workingMs: 0,
    gapMs: 0,
    waitsMs: [1_000],
    returnsMs: [],
    ...fields,
  };
}

test('waitingReport() puts days in their order, and other rows by their total', () => {
  const returnsMs = Array.from({ length: 100 }, (_, index) => index + 1);
  const all = [
    waits({ day: '2026-01-07', project: 'shop', returnsMs }),
    waits({ day: '2026-01-06', project: 'blog', waitsMs: [5_000] }),
    waits({ day: '2026-01-08', project: 'api', channel: null, step: null }),
  ];
  const keysBy = (by: 'day' | 'project') =>
    waitingReport(all, { since: 0, until: T, by, gaps: [] }).rows.map(({ key }) => key);

  assert.deepEqual(keysBy('day'), ['2026-01-06', '2026-01-07', '2026-01-08']);
  assert.deepEqual(keysBy('project'), ['blog', 'api', 'shop']);
  const { returns } = waitingReport(all, { since: 0, until: T, by: 'day', gaps: [] });
  assert.deepEqual(returns, [
    { channel: 'ntfy', step: 0, count: 2, p50Ms: 50, p95Ms: 95 },
    { channel: null, step: null, count: 1, p50Ms: null, p95Ms: null },
  ]);
});

test('figuresOf() takes the percentiles of the values, without interpolation', () => {
  const waitsMs = Array.from({ length: 100 }, (_, index) => 100 - index);

  assert.deepEqual(figuresOf([{ waitsMs, workingMs: 7 }]), {
    count: 100,
    totalMs: 5_050,
    workingMs: 7,
    p50Ms: 50,
    p95Ms: 95,
  });
  assert.equal(figuresOf([]).p50Ms, null);
});

test('the waits of a session never overlap, whatever happens, and none is negative', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPolicy, arbitraryStream, async (policy, stream) => {
      await using run = await waitingRun(policy);
      for (const happening of stream) {
        if (happening.type === 'event') await run.feed(happening.event);
      }
      const events = stream.flatMap((one) => (one.type === 'event' ? [one.event] : []));
      const measured = await run.measure();
      const times = events.map(({ at }) => at);
      const whole = Math.max(...times) - Math.min(...times);
      const sessions = new Set(events.map(({ sessionKey }) => sessionKey)).size;
      const waited = measured.reduce((sum, { waitedMs, gapMs }) => sum + waitedMs + gapMs, 0);

      assert.ok(measured.every(({ waitedMs, gapMs }) => waitedMs >= 0 && gapMs === 0));
      assert.ok(measured.length === 0 || waited <= whole * sessions);
    }),
    { numRuns: 60 },
  );
});

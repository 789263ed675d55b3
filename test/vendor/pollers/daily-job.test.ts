import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AuthError, RateLimitError, ServerError } from '../../../src/vendor/client/index.ts';
import { silentLog } from '../../../src/platform/log.ts';
import type { DayWork } from '../../../src/vendor/pollers/daily-job.ts';
import { createDailyJob } from '../../../src/vendor/pollers/daily-job.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { sourceMemory } from '../../support/source-run.ts';

const HOUR_MS = 3_600_000;
const MIDNIGHT = Date.parse('2026-06-10T00:00:00Z');
const failure = { route: 'analytics.tokens', method: 'GET', path: '/', attempts: 1 };

/** A job from 08:00 to 14:00 UTC that is asked every ten minutes. */
function dailyJob(work: DayWork, { memory = sourceMemory(), start = MIDNIGHT } = {}) {
  const clock = manualClock(start);
  const calls: string[] = [];
  const troubles: (string | null)[] = [];
  const job = createDailyJob({
    name: 'sample',
    schedule: { at: 480, until: 840, timezone: 'UTC' },
    work: (day, options) => {
      const time = new Date(clock.now()).toISOString().slice(5, 16);
      calls.push(`${time} ${day}${options.mayWait ? '' : ' late'}`);
      return work(day, options);
    },
    memory,
    now: clock.now,
    random: () => 0,
    log: silentLog,
    onTrouble: (reason) => troubles.push(reason),
    signal: new AbortController().signal,
  });
  return {
    calls,
    troubles,
    memory,
    pass: async (hours: number): Promise<void> => {
      for (let step = 0; step < hours * 6; step += 1) {
        await job.run();
        clock.jump(HOUR_MS / 6);
      }
    },
  };
}

test('a daily job works once a day, from its hour on, for the day before', async () => {
  const { calls, pass } = dailyJob(() => Promise.resolve('done'));

  await pass(48);

  assert.deepEqual(calls, ['06-10T08:00 2026-06-09', '06-11T08:00 2026-06-10']);
});

test('a daily job does nothing twice over a restart', async () => {
  const first = dailyJob(() => Promise.resolve('done'));
  await first.pass(9);

  const { calls, pass } = dailyJob(() => Promise.resolve('done'), {
    memory: first.memory,
    start: MIDNIGHT + 9 * HOUR_MS,
  });
  await pass(12);

  assert.deepEqual(calls, []);
});

test('a daily job asks hourly for a day that is missing, and makes do without it from its last hour on', async () => {
  const { calls, pass } = dailyJob(() => Promise.resolve('waiting'));

  await pass(24);

  assert.deepEqual(
    calls.map((call) => call.slice(6, 11)),
    ['08:00', '09:00', '10:00', '11:00', '12:00', '13:00', '14:00'],
  );
  assert.match(calls.at(-1) ?? '', / late$/);
});

test('a daily job tries again later and later, reports lasting trouble, and withdraws the report', async () => {
  let left = 3;
  const { calls, troubles, pass } = dailyJob(() => {
    left -= 1;
    return left < 0
      ? Promise.resolve('done')
      : Promise.reject(
          new ServerError('It broke', { ...failure, status: 500, retryAfterMs: null }),
        );
  });

  await pass(10);

  assert.deepEqual(
    calls.map((call) => call.slice(6, 11)),
    ['08:00', '08:10', '08:20', '08:40'],
  );
  assert.deepEqual(troubles, ['Cannot GET "/": It broke', null]);
});

test('a daily job heeds the wait a 429 names (acceptance 218)', async () => {
  let isFirst = true;
  const { calls, troubles, pass } = dailyJob(() => {
    const error = new RateLimitError('Too many', {
      ...failure,
      status: 429,
      retryAfterMs: 2 * HOUR_MS,
    });
    const answer = isFirst ? Promise.reject(error) : Promise.resolve('done' as const);
    isFirst = false;
    return answer;
  });

  await pass(12);

  assert.deepEqual(
    calls.map((call) => call.slice(6, 11)),
    ['08:00', '10:00'],
  );
  assert.deepEqual(troubles, [null]);
});

test('a daily job pauses for six hours when its key is refused, and reports it immediately (acceptance 199)', async () => {
  const { calls, troubles, pass } = dailyJob(() =>
    Promise.reject(new AuthError('Refused', { ...failure, status: 401 })),
  );

  await pass(16);

  assert.deepEqual(
    calls.map((call) => call.slice(6, 11)),
    ['08:00', '14:00'],
  );
  assert.equal(troubles[0], 'Cannot GET "/": Refused');
});

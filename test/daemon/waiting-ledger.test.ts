import assert from 'node:assert/strict';
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { createWaitingLedger } from '../../src/daemon/waiting-ledger.ts';
import { type ClockReading, stepsBetween } from '../../src/platform/clock-steps.ts';
import { silentLog } from '../../src/platform/log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ALL_DAY, waitingRun } from '../support/waiting-run.ts';

const T = Date.UTC(2026, 0, 5, 10);
const HOUR = 3_600_000;
const asks = { kind: 'needs.permission', tool: 'Bash', event: 'PermissionRequest' } as const;
const ran = { kind: 'tool.done', tool: 'Bash', event: 'PostToolUse', toolMs: 0 } as const;

/** A ledger on clocks that the test sets. */
async function stage() {
  const directory = await temporaryDirectory();
  const run = await waitingRun();
  const mark = join(directory.path, 'alive');
  let clocks: ClockReading = { wall: T, up: 50_000, awake: 50_000 };
  const ledger = createWaitingLedger({
    waits: run.store.waits,
    mark,
    hours: () => ALL_DAY,
    programChannels: () => ['log'],
    redact: (text) => text,
    readClocks: () => clocks,
    now: () => clocks.wall,
    log: silentLog,
  });
  const report = () => ledger.report({ since: 0, until: T + 1_000 * HOUR, by: 'day' });
  return {
    run,
    mark,
    ledger,
    report,
    pass(steps: Partial<ClockReading>) {
      const { wall = 0, up = wall, awake = up } = steps;
      clocks = { wall: clocks.wall + wall, up: clocks.up + up, awake: clocks.awake + awake };
    },
    async [Symbol.asyncDispose]() {
      ledger.stop();
      await run[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('the time in which the machine was asleep is not waiting time', async () => {
  await using on = await stage();
  await on.ledger.start();
  await on.run.feed({ ...asks, at: T + 1_000 });
  on.pass({ wall: 8 * HOUR + 5_000, awake: 5_000 });
  // The person answers before the ledger notices that the machine slept.
  await on.run.feed({ ...ran, at: T + 8 * HOUR + 4_000 });
  assert.equal((await on.report()).asked.totalMs, 8 * HOUR + 3_000);
  await on.ledger.tick();

  const { asked, excluded } = await on.report();

  assert.ok(asked.totalMs <= 5_000, `${asked.totalMs}`);
  assert.equal(excluded.gaps, 1);
});

test('a clock that is set while a request is open changes nothing about its length', async () => {
  await using on = await stage();
  await on.ledger.start();
  await on.run.feed({ ...asks, at: T + 1_000 });
  on.pass({ wall: -3 * HOUR + 5_000, up: 5_000 });
  await on.ledger.tick();
  await on.run.feed({ ...ran, at: T - 3 * HOUR + 11_000 });

  const { asked, excluded } = await on.report();

  assert.equal(asked.totalMs, 10_000);
  assert.equal(excluded.gaps, 0);
});

test('a daemon that stood still for minutes did not run', async () => {
  await using on = await stage();
  await on.ledger.start();
  await on.run.feed({ ...asks, at: T + 1_000 });
  on.pass({ wall: 600_000 });
  await on.ledger.tick();
  await on.run.feed({ ...ran, at: T + 601_000 });

  const { asked } = await on.report();

  assert.ok(asked.totalMs <= 2_000, `${asked.totalMs}`);
});

test('the time since the last mark of an earlier daemon is a gap, but not a restart', async () => {
  await using on = await stage();
  writeFileSync(on.mark, '');
  utimesSync(on.mark, (T - HOUR) / 1_000, (T - HOUR) / 1_000);
  await on.run.feed({ ...asks, at: T - 2 * HOUR });
  await on.ledger.start();
  await on.run.feed({ ...ran, at: T + 1_000 });

  const { asked, excluded } = await on.report();
  assert.deepEqual([asked.totalMs, excluded.gaps], [HOUR + 1_000, 1]);

  on.ledger.stop();
  on.pass({ wall: 1_000 });
  await on.ledger.start();
  assert.equal((await on.report()).excluded.gaps, 1);
  assert.equal(readFileSync(on.mark, 'utf8'), '');
  assert.equal(statSync(on.mark).mtimeMs, T + 1_000);
});

test('the histogram counts each wait once, also when it is measured again', async () => {
  await using on = await stage();
  await on.ledger.start();
  await on.run.feed({ ...asks, at: T });
  await on.run.feed({ ...ran, at: T + 20_000 });
  await on.ledger.families();
  on.pass({ wall: HOUR, awake: 5_000 });
  await on.ledger.tick();

  const [family] = await on.ledger.families();

  const count = family?.samples.find(({ name }) => name === 'hookbell_waiting_seconds_count');
  assert.deepEqual(count?.labels, { type: 'asked', agent: 'claude' });
  assert.equal(count?.value, 1);
});

test('stepsBetween() takes small differences between clocks for nothing', () => {
  const before = { wall: T, up: 1_000, awake: 1_000 };
  const after = { wall: T + 5_900, up: 6_400, awake: 6_000 };

  assert.deepEqual(stepsBetween(before, after), { awakeMs: 5_000, asleepMs: 0, setMs: 0 });
});

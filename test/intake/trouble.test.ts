import assert from 'node:assert/strict';
import { test } from 'node:test';

import { StoreError } from '../../src/core/store-aging.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type IntakeTrouble, watchTrouble } from '../../src/intake/trouble.ts';

function troubleRun() {
  const told: (IntakeTrouble | null)[] = [];
  const clock = { now: 0 };
  const trouble = watchTrouble({
    monotonic: () => clock.now,
    random: () => 1,
    log: silentLog,
    onTrouble: (news) => void told.push(news),
  });
  return { told, clock, trouble };
}

test('watchTrouble(): waits longer after each failure, at most 10 s, and not at all after a success', () => {
  const { clock, trouble } = troubleRun();
  const waits: number[] = [];

  for (let failure = 0; failure < 7; failure += 1) {
    trouble.failed(new StoreError('full', 'No space'));
    const since = clock.now;
    while (trouble.isPaused()) clock.now += 250;
    waits.push(clock.now - since);
  }
  trouble.worked();
  trouble.failed(new StoreError('full', 'No space'));
  clock.now += 1_000;

  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
  assert.equal(trouble.isPaused(), false);
});

test('watchTrouble() reports a trouble once, another one, and the end (fault 12)', () => {
  const { told, trouble } = troubleRun();

  trouble.worked();
  trouble.failed(new StoreError('full', 'No space'));
  trouble.failed(new StoreError('full', 'No space'));
  trouble.failed(new StoreError('damaged', 'Not a database'));
  trouble.failed(new Error('Cannot use spool'));
  trouble.worked();
  trouble.worked();

  assert.deepEqual(told, [
    { code: 'full', message: 'No space' },
    { code: 'damaged', message: 'Not a database' },
    { code: 'spool', message: 'Cannot use spool' },
    null,
  ]);
});

test('watchTrouble(): an unreadable spool delays nothing, since other envelopes may be readable', () => {
  const { trouble } = troubleRun();

  trouble.failed(new Error('EIO'));

  assert.equal(trouble.isPaused(), false);
});

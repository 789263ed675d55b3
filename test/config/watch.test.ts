import assert from 'node:assert/strict';
import { test } from 'node:test';

import { configOf, problemsOf } from '../support/config-text.ts';

test('the configuration watches nothing by itself', async () => {
  assert.deepEqual((await configOf('')).watch, { computers: null });
});

test('the configuration watches computers once a minute, and slows down to ten', async () => {
  const { watch } = await configOf('watch: { computers: {} }');

  assert.deepEqual(watch.computers, {
    pace: { everyMs: 60_000, atMostMs: 600_000 },
    provisioningMs: 900_000,
  });
});

test('the configuration refuses to speed up while nothing happens', async () => {
  assert.deepEqual(await problemsOf('watch: { computers: { every: 2m, slow_down_to: 1m } }'), [
    '1:48 watch.computers.slow_down_to: is shorter than "every"',
  ]);
});

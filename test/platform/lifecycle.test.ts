import assert from 'node:assert/strict';
import { test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { createLifecycle } from '../../src/platform/lifecycle.ts';

test('createLifecycle() stops last started first, whatever one of them does', async () => {
  const lifecycle = createLifecycle(silentLog);
  const stopped: string[] = [];
  lifecycle.onStop('store', () => void stopped.push('store'));
  lifecycle.onStop('worker', () => Promise.reject(new Error('broken')));
  lifecycle.onStop('hung', () => new Promise(() => {}));
  lifecycle.onStop('intake', () => void stopped.push('intake'));

  await lifecycle.stop({ graceMs: 20 });

  assert.deepEqual(stopped, ['intake', 'store']);
});

test('stop() twice stops once', async () => {
  const lifecycle = createLifecycle(silentLog);
  let stops = 0;
  lifecycle.onStop('part', () => {
    stops += 1;
  });

  await Promise.all([lifecycle.stop({ graceMs: 20 }), lifecycle.stop({ graceMs: 20 })]);

  assert.equal(stops, 1);
});

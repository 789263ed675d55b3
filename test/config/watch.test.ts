import assert from 'node:assert/strict';
import { test } from 'node:test';

import { configOf, problemsOf } from '../support/config-text.ts';

test('the configuration watches nothing by itself', async () => {
  const { watch } = await configOf('');

  assert.deepEqual(new Set(Object.values(watch)), new Set([null]));
});

test('the configuration watches computers once a minute, and slows down to ten', async () => {
  const { watch } = await configOf('watch: { computers: {} }');

  assert.deepEqual(watch.computers, {
    pollInterval: { everyMs: 60_000, atMostMs: 600_000 },
    provisioningMs: 900_000,
  });
});

test('the configuration refuses to speed up while nothing happens', async () => {
  assert.deepEqual(await problemsOf('watch: { computers: { every: 2m, slow_down_to: 1m } }'), [
    '1:48 watch.computers.slow_down_to: is shorter than "every"',
  ]);
});

test('the configuration watches readiness and controls rarely, and all repositories unless some are named', async () => {
  const { watch } = await configOf('watch: { readiness: {}, controls: {} }');

  assert.deepEqual(watch.readiness, {
    pollInterval: { everyMs: 3_600_000, atMostMs: 21_600_000 },
    repositories: [],
  });
  assert.deepEqual(watch.controls, { pollInterval: { everyMs: 600_000, atMostMs: 3_600_000 } });
});

test('the configuration watches sessions twice a minute, all of them, and shows no address it was not given', async () => {
  const { watch } = await configOf('watch: { sessions: {} }');

  assert.deepEqual(watch.sessions, {
    pollInterval: { everyMs: 30_000, atMostMs: 300_000 },
    pendingMs: 300_000,
    most: 100,
    tags: null,
    computers: null,
    link: null,
  });
});

for (const [link, problem] of [
  ['https://app.example.com/sessions', 'does not contain {session_id}'],
  ['javascript:{session_id}', 'is not a URL that begins with http:// or https://'],
]) {
  test(`the configuration refuses the link "${link}"`, async () => {
    assert.deepEqual(await problemsOf(`watch: { sessions: { link: "${link}" } }`), [
      `1:28 watch.sessions.link: ${problem}`,
    ]);
  });
}

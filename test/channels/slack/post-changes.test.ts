import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openMemory } from '../../../src/channels/slack/memory.ts';
import { createPostChanges } from '../../../src/channels/slack/post-changes.ts';
import type { SlackResponse } from '../../../src/channels/slack/web-api.ts';
import { delivered, type Outcome, retry } from '../../../src/core/outcome.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const MINUTE_MS = 60_000;

const memoryAt = (directory: string, now: () => number) => openMemory(directory, 'app', now);

const response = (outcome: Outcome): SlackResponse => ({
  outcome,
  data: {},
  error: null,
  scopes: [],
});

const offline = () => Promise.resolve(response(retry('No network')));

test('100 sessions that change all the time stay below 50 updates a minute, and end with their latest state', async () => {
  const clock = manualClock(0);
  const sent: { at: number; ts: unknown; state: unknown }[] = [];
  const changes = createPostChanges(
    (_method, { ts, state }) => {
      const at = clock.now();
      // Slack's own answer to more than that: wait.
      const isBusy = sent.filter((one) => one.at > at - MINUTE_MS).length >= 50;
      if (isBusy) return Promise.resolve(response(retry('429', { afterMs: 5_000 })));
      sent.push({ at, ts, state });
      return Promise.resolve(response(delivered()));
    },
    clock.startTimer,
    memoryAt('/nowhere', clock.now),
  );
  const rounds = 300;
  for (let state = 1; state <= rounds; state += 1) {
    for (let session = 0; session < 100; session += 1) {
      changes.add({ channel: 'C0', ts: String(session), state });
    }
    await clock.advance(10_000);
  }
  await clock.advance(10 * MINUTE_MS);

  const busiest = sent.map(
    ({ at }) => sent.filter((one) => one.at > at - MINUTE_MS && one.at <= at).length,
  );
  assert.ok(Math.max(...busiest) <= 50, `${Math.max(...busiest)} in a minute`);
  const latest = new Map(sent.map(({ ts, state }) => [ts, state]));
  assert.equal(latest.size, 100);
  assert.deepEqual([...new Set(latest.values())], [rounds]);
});

test('changes that wait for the end of a pause are made by the next daemon, the latest of each message', async () => {
  await using directory = await temporaryDirectory();
  // Not closed: it is killed, and its time ends.
  const itsClock = manualClock(0);
  const busy = () => Promise.resolve(response(retry('429', { afterMs: MINUTE_MS })));
  const before = createPostChanges(
    busy,
    itsClock.startTimer,
    memoryAt(directory.path, itsClock.now),
  );
  before.add({ channel: 'C0', ts: '1', state: 'waiting' });
  await itsClock.advance(1);
  before.add({ channel: 'C0', ts: '1', state: 'done' });
  before.add({ channel: 'C0', ts: '2', state: 'failed' });

  const clock = manualClock(1);
  const sent: unknown[] = [];
  const memory = memoryAt(directory.path, clock.now);
  createPostChanges(
    (_method, { ts, state }) => {
      sent.push([ts, state]);
      return Promise.resolve(response(delivered()));
    },
    clock.startTimer,
    memory,
  );
  await clock.advance(MINUTE_MS);

  assert.deepEqual(sent, [
    ['1', 'done'],
    ['2', 'failed'],
  ]);
  assert.deepEqual(memoryAt(directory.path, clock.now).changes, []);
});

test('changes that were not made at the end of the daemon are made by the next one', async () => {
  await using directory = await temporaryDirectory();
  const clock = manualClock(0);
  const before = createPostChanges(offline, clock.startTimer, memoryAt(directory.path, clock.now));
  before.add({ channel: 'C0', ts: '1', state: 'done' });
  const closed = before.close();
  await clock.advance(MINUTE_MS);
  await closed;

  assert.deepEqual(memoryAt(directory.path, clock.now).changes, [
    { channel: 'C0', ts: '1', state: 'done' },
  ]);
});

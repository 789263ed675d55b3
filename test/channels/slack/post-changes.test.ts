import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createPostChanges } from '../../../src/channels/slack/post-changes.ts';
import type { SlackResponse } from '../../../src/channels/slack/web-api.ts';
import { delivered, type Outcome, retry } from '../../../src/core/outcome.ts';
import { manualClock } from '../../support/manual-clock.ts';

const MINUTE_MS = 60_000;

const response = (outcome: Outcome): SlackResponse => ({
  outcome,
  data: {},
  error: null,
  scopes: [],
});

test('100 sessions that change all the time stay below 50 updates a minute, and end with their latest state', async () => {
  const clock = manualClock(0);
  const sent: { at: number; ts: unknown; state: unknown }[] = [];
  const changes = createPostChanges((_method, { ts, state }) => {
    const at = clock.now();
    // Slack's own answer to more than that: wait.
    const isBusy = sent.filter((one) => one.at > at - MINUTE_MS).length >= 50;
    if (isBusy) return Promise.resolve(response(retry('429', { afterMs: 5_000 })));
    sent.push({ at, ts, state });
    return Promise.resolve(response(delivered()));
  }, clock.startTimer);
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

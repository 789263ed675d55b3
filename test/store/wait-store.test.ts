import assert from 'node:assert/strict';
import { test } from 'node:test';

import { measureBy } from '../../src/alerts/measure-wait.ts';
import { sessionKeyOf } from '../../src/core/hook-event.ts';
import { samplePolicy } from '../support/decisions.ts';
import { ALL_DAY, waitingRun } from '../support/waiting-run.ts';

const T = Date.UTC(2026, 0, 5, 10);
const MINUTE = 60_000;
const bash = { tool: 'Bash', event: 'PermissionRequest', subject: 'Bash npm test' } as const;
const asks = { ...bash, kind: 'needs.permission' } as const;
const ran = { tool: 'Bash', event: 'PostToolUse', kind: 'tool.done' } as const;
const key = sessionKeyOf('claude', 's1', null);

test('a wait ends when the requested call began, however late the agent reports the call', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.feed({ ...ran, at: T + 95_000, toolMs: 90_000 });

  const { asked } = await run.report();

  assert.equal(asked.count, 1);
  assert.equal(asked.totalMs, 5_000);
});

test('a wait is measured whether or not anyone is notified', async () => {
  const plan = { name: 'nothing', match: {}, plan: 'none', also: false };
  await using run = await waitingRun({ ...samplePolicy, routes: [plan] });
  await run.feed({ ...asks, at: T });
  // Six seconds later Claude Code reports the same request again.
  await run.feed({
    kind: 'needs.permission',
    notificationType: 'permission_prompt',
    at: T + 6_000,
  });
  await run.feed({ ...ran, at: T + 9_000, toolMs: 1_000 });

  const { asked } = await run.report();

  assert.deepEqual([asked.count, asked.totalMs], [1, 8_000]);
});

test('the end of a turn waits for the next prompt, at most an hour, and apart from requests', async () => {
  await using run = await waitingRun();
  await run.feed({ kind: 'turn.done', at: T });
  await run.feed({ kind: 'prompt', at: T + 10 * MINUTE });
  await run.feed({ kind: 'turn.done', at: T + 20 * MINUTE });
  await run.feed({ kind: 'prompt', at: T + 20 * 60 * MINUTE });

  const { done, asked } = await run.report();

  assert.deepEqual([done.count, done.totalMs], [2, 70 * MINUTE]);
  assert.equal(asked.count, 0);
});

test('a newer question ends the wait of the older one and begins another', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.feed({ ...asks, subject: 'Bash npm publish', at: T + 4_000 });
  await run.feed({ ...ran, at: T + 10_000, toolMs: 0 });

  const { asked } = await run.report();

  assert.deepEqual([asked.count, asked.totalMs], [2, 10_000]);
});

test('a session that ends while it waits was not answered', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.feed({ kind: 'session.end', at: T + 1_000 });

  const { asked, unanswered } = await run.report();

  assert.equal(asked.count, 0);
  assert.deepEqual(unanswered, { ended: 1 });
});

test('a request that no one answered in time is expired, and one whose process is gone abandoned', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.store.alerts.expire({ now: T + 24 * 60 * MINUTE, exceptChannels: [] });
  const other = sessionKeyOf('claude', 's2', null);
  const { id } = await run.feed({ ...asks, sessionId: 's2', sessionKey: other, at: T });
  await run.store.alerts.endSession({
    key: other,
    lastEventId: id,
    state: 'ended',
    at: T + MINUTE,
    reason: 'Its process is gone',
    exceptChannels: [],
  });

  const { unanswered } = await run.report();

  assert.deepEqual(unanswered, { expired: 1, abandoned: 1 });
});

test('an acknowledged request still waits', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  const of = { sessionKey: key };
  await run.store.alerts.acknowledge({ of, by: 'you', now: T + 1_000, exceptChannels: [] });
  await run.feed({ ...ran, at: T + 7_000, toolMs: 0 });

  const { asked } = await run.report();

  assert.equal(asked.totalMs, 7_000);
});

test('an answer from elsewhere ends the wait once, through the channel that it came from', async () => {
  await using run = await waitingRun();
  const { id } = await run.feed({ ...asks, at: T });
  await run.send('desktop', T + 500);
  await run.send('team', T + 120_000);
  const answer = {
    eventId: id,
    sessionKey: key,
    isTurnOver: false,
    reason: 'Allowed',
    exceptChannels: [],
  };
  await run.store.alerts.answerRequest({ ...answer, at: T + 150_000, via: 'desktop' });
  await run.store.alerts.answerRequest({ ...answer, at: T + 160_000, via: 'team' });
  await run.feed({ ...ran, at: T + 170_000, toolMs: 0 });

  const { asked, returns } = await run.report();

  assert.deepEqual([asked.count, asked.totalMs], [1, 150_000]);
  assert.deepEqual(returns, [
    { channel: 'desktop', step: 0, count: 1, p50Ms: 149_500, p95Ms: 149_500 },
  ]);
});

test('the step of the plan that preceded the return is the one that counts', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.send('desktop', T);
  await run.send('team', T + 120_000);
  await run.feed({ ...ran, at: T + 130_000, toolMs: 0 });
  await run.feed({ ...asks, at: T + 200_000 });
  await run.feed({ ...ran, at: T + 201_000, toolMs: 0 });

  const { returns, rows } = await run.report('channel');

  assert.deepEqual(returns, [
    { channel: null, step: null, count: 1, p50Ms: null, p95Ms: null },
    { channel: 'team', step: 1, count: 1, p50Ms: 10_000, p95Ms: 10_000 },
  ]);
  assert.deepEqual(
    rows.map((row) => row.key),
    ['team', null],
  );
});

test('gaps are excluded and counted, also those noticed after the end of a wait', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.feed({ ...ran, at: T + 60 * MINUTE, toolMs: 0 });
  assert.equal((await run.report()).asked.totalMs, 60 * MINUTE);

  const gap = { from: T + 5 * MINUTE, to: T + 55 * MINUTE, cause: 'asleep' } as const;
  await run.store.waits.addGap(gap, measureBy(ALL_DAY));

  const { asked, excluded } = await run.report();
  assert.equal(asked.totalMs, 10 * MINUTE);
  assert.deepEqual(excluded, { gaps: 1, ms: 50 * MINUTE });
});

test('a clock that was set moves the beginning of what is open', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.store.waits.shiftOpen(3_600_000);
  await run.feed({ ...ran, at: T + 3_600_000 + 9_000, toolMs: 0 });

  const { asked } = await run.report();

  assert.equal(asked.totalMs, 9_000);
});

test('headless sessions and sessions without an id do not wait', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, attended: false, at: T });
  await run.feed({ ...ran, at: T + 5_000 });
  await run.feed({ ...asks, agent: 'droid', sessionId: null, at: T });
  await run.feed({ ...ran, agent: 'droid', sessionId: null, at: T + 5_000 });

  assert.equal((await run.report()).asked.count, 0);
});

test('a session of another machine is reported with its machine', async () => {
  await using run = await waitingRun();
  const there = { machine: 'laptop', sessionKey: 'laptop/claude:s1' };
  await run.feed({ ...asks, ...there, at: T, receivedAt: T + 30_000 });
  await run.feed({ ...ran, ...there, at: T + 8_000, toolMs: 0, receivedAt: T + 40_000 });

  const { rows } = await run.report('machine');

  assert.deepEqual(
    rows.map((row) => [row.key, row.asked.totalMs]),
    [['laptop', 8_000]],
  );
});

test('prune() removes old waits, and keeps the waits of removed events', async () => {
  await using run = await waitingRun();
  await run.feed({ ...asks, at: T });
  await run.feed({ ...ran, at: T + 8_000, toolMs: 0 });
  await run.measure();
  await run.store.upkeep.prune({ keepMs: 0, before: T, maxBytes: 0 });
  assert.equal((await run.report()).asked.count, 1);

  await run.store.upkeep.prune({ before: T + 9_000, maxBytes: Number.MAX_SAFE_INTEGER });

  assert.equal((await run.report()).asked.count, 0);
});

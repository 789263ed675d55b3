import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AuthError, ServerError, routes } from '../../../src/vendor/client/index.ts';
import type { SessionGoal } from '../../../src/cli/vendor/watch-session.ts';
import { watchSession } from '../../../src/cli/vendor/watch-session.ts';

const base = { sessionId: 's1', messageCount: 1, createdAt: 1, updatedAt: 2 };
const facts = { route: 'sessions.get', method: 'GET', path: '/', attempts: 1 };
const outage = new ServerError('Away', { ...facts, status: 503, retryAfterMs: null });

/** What the service says at one look after the other; the last again and again. */
type Says = (object | Error)[];

async function watched(goal: SessionGoal, says: Says, timeoutMs: number | null = null) {
  let elapsed = 0;
  const looks: number[] = [];
  const phases: string[] = [];
  const troubles: string[] = [];
  const watching = watchSession({
    goal,
    timeoutMs,
    get: () => {
      const said = says[Math.min(looks.length, says.length - 1)];
      looks.push(elapsed / 1_000);
      return said instanceof Error
        ? Promise.reject(said)
        : Promise.resolve(routes['sessions.get'].response.parse({ ...base, ...said }));
    },
    onPhase: (phase) => phases.push(phase),
    onTrouble: ({ message }) => troubles.push(message),
    now: () => elapsed,
    sleep: (ms) => {
      elapsed += ms;
      return Promise.resolve();
    },
    random: () => 0,
  });
  const result = await watching.catch((error: unknown) => error);
  return { result, looks, phases, troubles };
}

const running = { status: 'running' };

test('watchSession() looks often after a change and seldom while nothing happens, and says what the session does', async () => {
  const { result, looks, phases } = await watched('idle', [
    { status: 'pending' },
    running,
    ...Array.from({ length: 8 }, () => running),
    { ...running, updatedAt: 3 },
    { status: 'idle', updatedAt: 4 },
  ]);

  assert.ok(result !== null && typeof result === 'object' && 'outcome' in result);
  assert.equal(result.outcome, 'reached');
  assert.deepEqual(
    looks
      .map((at, index) => at - (looks[index - 1] ?? 0))
      .slice(1)
      .map((gap) => Math.round(gap)),
    [2, 2, 3, 5, 7, 10, 15, 23, 30, 30, 2],
  );
  assert.deepEqual(phases, ['pending', 'running', 'done']);
});

for (const { goal, session, outcome } of [
  { goal: 'idle', session: { status: 'idle' }, outcome: 'reached' },
  { goal: 'complete', session: { status: 'idle', completedAt: 5 }, outcome: 'reached' },
  { goal: 'complete', session: { status: 'idle' }, outcome: 'timed-out' },
  { goal: 'complete', session: { ...running, completedAt: 5 }, outcome: 'timed-out' },
  { goal: 'idle', session: { status: 'failed' }, outcome: 'failed' },
  { goal: 'failed', session: { status: 'failed' }, outcome: 'reached' },
  { goal: 'over', session: { status: 'failed' }, outcome: 'reached' },
  { goal: 'over', session: { status: 'idle' }, outcome: 'reached' },
  { goal: 'running', session: running, outcome: 'reached' },
  { goal: 'pending', session: running, outcome: 'timed-out' },
] as const) {
  test(`watchSession() until ${goal}: ${JSON.stringify(session)} is ${outcome}`, async () => {
    const { result, looks } = await watched(goal, [session], 10_000);

    assert.ok(result !== null && typeof result === 'object' && 'outcome' in result);
    assert.equal(result.outcome, outcome);
    // It looks once more when the time is over.
    assert.equal(looks.at(-1), outcome === 'timed-out' ? 10 : 0);
  });
}

test('watchSession() waits trouble out once the session was seen', async () => {
  const { result, troubles } = await watched('idle', [running, outage, outage, { status: 'idle' }]);

  assert.ok(result !== null && typeof result === 'object' && 'outcome' in result);
  assert.deepEqual([result.outcome, troubles.length], ['reached', 2]);
});

for (const { name, says, wanted } of [
  { name: 'trouble at the first look', says: [outage], wanted: outage },
  { name: 'trouble that does not end', says: [running, outage], wanted: outage },
  {
    name: 'a key that is refused meanwhile',
    says: [running, new AuthError('Refused', { ...facts, status: 401 })],
    wanted: AuthError,
  },
]) {
  test(`watchSession() gives up at ${name}`, async () => {
    const { result, looks } = await watched('idle', says);

    if (typeof wanted === 'function') assert.ok(result instanceof wanted);
    else assert.equal(result, wanted);
    assert.ok(looks.length <= 11);
  });
}

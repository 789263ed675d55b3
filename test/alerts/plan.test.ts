import assert from 'node:assert/strict';
import { test } from 'node:test';

import { plan } from '../../src/alerts/plan.ts';
import { sampleEvent } from '../support/sample.ts';

const NOW = 5_000;

function planned(...plans: Parameters<typeof plan>[1]) {
  let id = 0;
  return plan(sampleEvent(), plans, {
    now: NOW,
    newId: () => {
      id += 1;
      return String(id);
    },
  });
}

test('plan() merges plans: a channel is told once per delay, steps stand in order', () => {
  const { alert } = planned(
    {
      name: 'a',
      steps: [
        { afterMs: 0, notify: ['desktop'] },
        { afterMs: 60_000, notify: ['mail'] },
      ],
    },
    {
      name: 'b',
      steps: [
        { afterMs: 30_000, notify: ['team'] },
        { afterMs: 0, notify: ['desktop', 'log'] },
      ],
    },
  );

  assert.deepEqual(alert?.plan, {
    name: 'a + b',
    steps: [
      { afterMs: 0, notify: ['desktop', 'log'] },
      { afterMs: 30_000, notify: ['team'] },
      { afterMs: 60_000, notify: ['mail'] },
    ],
  });
});

test('plan() makes one delivery per channel and step, due at its time', () => {
  const { deliveries } = planned({
    name: 'a',
    steps: [
      { afterMs: 0, notify: ['desktop', 'log'] },
      { afterMs: 60_000, notify: ['mail'] },
    ],
  });

  assert.deepEqual(
    deliveries.map(({ channel, step, dueAt }) => [channel, step, dueAt]),
    [
      ['desktop', 0, NOW],
      ['log', 0, NOW],
      ['mail', 1, NOW + 60_000],
    ],
  );
});

test('plan() of a plan without steps tells nobody and says so', () => {
  const { alert, deliveries, decision } = planned({ name: 'none', steps: [] });

  assert.equal(alert, null);
  assert.deepEqual(deliveries, []);
  assert.deepEqual(decision, {
    stage: 'plan',
    verdict: 'stop',
    reason: 'Plan "none" tells nobody',
  });
});

test('plan() opens no alert for news that asks for no answer', () => {
  const { alert, deliveries } = plan(
    sampleEvent({ kind: 'subagent.done' }),
    [{ name: 'a', steps: [{ afterMs: 0, notify: ['desktop'] }] }],
    { now: NOW, newId: () => 'id' },
  );

  assert.equal(alert, null);
  assert.equal(deliveries[0]?.alertId, null);
});

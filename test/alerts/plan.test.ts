import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openAlert, plan, wantsAnswer } from '../../src/alerts/plan.ts';
import type { Plan } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleEvent } from '../support/sample.ts';

function planned(...plans: readonly Plan[]) {
  return plan(plans, samplePolicy);
}

test('plan() merges plans: a channel is notified once per delay, steps are in order', () => {
  const { plan: merged } = planned(
    {
      name: 'a',
      steps: [sampleStep(['desktop']), sampleStep(['mail'], { afterMs: 60_000 })],
    },
    {
      name: 'b',
      steps: [sampleStep(['team'], { afterMs: 30_000 }), sampleStep(['desktop', 'log'])],
    },
  );

  assert.deepEqual(merged, {
    name: 'a + b',
    steps: [
      sampleStep(['desktop', 'log']),
      sampleStep(['team'], { afterMs: 30_000 }),
      sampleStep(['mail'], { afterMs: 60_000 }),
    ],
  });
});

test('plan() keeps steps of one delay apart where one of them has a condition or repeats', () => {
  const conditional = sampleStep(['desktop'], { condition: { presence: 'here' } });

  const { plan: merged } = planned({ name: 'a', steps: [conditional, sampleStep(['log'])] });

  assert.deepEqual(merged.steps, [conditional, sampleStep(['log'])]);
});

test('plan() leaves a channel to a step with a condition only if no other step of that delay notifies it', () => {
  const whenHere = sampleStep(['desktop'], { condition: { presence: 'here' } });
  const whenAway = sampleStep(['desktop', 'log'], { condition: { presence: 'away' } });

  const { plan: either } = planned({ name: 'a', steps: [whenHere, whenHere, whenAway] });
  const { plan: always } = planned(
    { name: 'b', steps: [whenAway] },
    { name: 'c', steps: [sampleStep(['desktop'])] },
  );

  assert.deepEqual(either.steps, [whenHere, whenAway]);
  assert.deepEqual(always.steps, [{ ...whenAway, notify: ['log'] }, sampleStep(['desktop'])]);
});

test('plan() does each of several repeats of one delay and channel, and what falls together once', () => {
  const often = sampleStep(['desktop'], { repeat: { everyMs: 1_000, atMost: 3 } });
  const seldom = sampleStep(['desktop'], { repeat: { everyMs: 2_000, atMost: 3 } });
  const once = sampleStep(['desktop']);

  const { plan: merged, messages } = planned(
    { name: 'a', steps: [often] },
    { name: 'b', steps: [once] },
    { name: 'c', steps: [seldom] },
    { name: 'd', steps: [often] },
  );

  assert.deepEqual(merged.steps, [often, seldom]);
  assert.deepEqual(
    messages.map(({ afterMs }) => afterMs),
    [0, 1_000, 2_000, 4_000],
  );
});

test('plan() keeps the repeats of a step with a condition if another step notifies the channel first', () => {
  const whenAway = sampleStep(['desktop'], {
    repeat: { everyMs: 1_000, atMost: 3 },
    condition: { presence: 'away' },
  });

  const { messages } = planned({ name: 'a', steps: [whenAway, sampleStep(['desktop'])] });

  assert.deepEqual(
    messages.map(({ afterMs, condition }) => [afterMs, condition?.presence ?? null]),
    [
      [1_000, 'away'],
      [2_000, 'away'],
      [0, null],
    ],
  );
});

test('plan() makes one message per channel and step, after its delay', () => {
  const { messages } = planned({
    name: 'a',
    steps: [sampleStep(['desktop', 'log']), sampleStep(['mail'], { afterMs: 60_000 })],
  });

  assert.deepEqual(
    messages.map(({ channel, step, afterMs }) => [channel, step, afterMs]),
    [
      ['desktop', 0, 0],
      ['log', 0, 0],
      ['mail', 1, 60_000],
    ],
  );
});

test('plan() of a plan without steps notifies no channel and says so', () => {
  const { messages, decision } = planned({ name: 'none', steps: [] });

  assert.deepEqual(messages, []);
  assert.deepEqual(decision, {
    stage: 'plan',
    verdict: 'stop',
    reason: 'Plan "none" notifies no channel',
  });
});

test('wantsAnswer() is false for news that asks for no answer', () => {
  assert.equal(wantsAnswer(sampleEvent({ kind: 'subagent.done' })), false);
  assert.equal(wantsAnswer(sampleEvent({ kind: 'needs.input' })), true);
});

test('openAlert() lets the alert expire after its time, counted from the reception', () => {
  const event = sampleEvent({ at: 1_000, receivedAt: 5_000 });

  const alert = openAlert(event, { name: 'a', steps: [] }, { id: 'id', expireAfterMs: 100 });

  assert.deepEqual([alert.openedAt, alert.expiresAt, alert.state], [1_000, 5_100, 'open']);
});

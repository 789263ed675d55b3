import assert from 'node:assert/strict';
import { test } from 'node:test';

import { relayEvent } from '../../src/alerts/relay-event.ts';
import type { Policy } from '../../src/core/policy.ts';
import { decisionRun, samplePolicy } from '../support/decisions.ts';

const away: Policy = { ...samplePolicy, relay: { to: 'home', notifiesHere: false } };

test('decide() relays a notification without sending it on this machine', () => {
  const {
    deliveries,
    relay: relayed,
    decisions,
    alerts,
  } = decisionRun(away).feed({
    kind: 'needs.permission',
  });

  assert.equal(relayed, true);
  assert.deepEqual([deliveries, alerts], [[], []]);
  assert.deepEqual(decisions.at(-1), {
    stage: 'relay',
    verdict: 'stop',
    reason: 'Relayed to home, which notifies people',
  });
});

test('decide() relays what is silent as well: it is what answers a question at home', () => {
  assert.equal(decisionRun(away).feed({ kind: 'prompt' }).relay, true);
});

test('decide() notifies here as well where "ring_here" says so', () => {
  const both: Policy = { ...samplePolicy, relay: { to: 'home', notifiesHere: true } };

  const { deliveries, relay: relayed } = decisionRun(both).feed({ kind: 'needs.permission' });

  assert.equal(relayed, true);
  assert.ok(deliveries.length > 0);
});

test('decide() does not relay what a second registration of the hook sends again', () => {
  const run = decisionRun(away);

  assert.equal(run.feed({}, { duplicateOf: 'event-0' }).relay, false);
});

test('relay() leaves alone what no hook of this machine sent, so that nothing goes round in circles', () => {
  const stop = { agent: 'claude', event: 'Stop', machine: null } as const;

  assert.equal(relayEvent({ ...stop, machine: 'devbox' }, away), null);
  assert.equal(relayEvent({ ...stop, agent: 'service' }, away), null);
  assert.equal(relayEvent({ ...stop, event: 'remote.idle' }, away), null);
  assert.equal(relayEvent(stop, samplePolicy), null);
  assert.equal(relayEvent(stop, away)?.notifiesHere, false);
});

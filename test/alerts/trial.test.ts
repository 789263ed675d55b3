import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { handMadeSessionId, TEST_EVENT } from '../../src/core/hand-made.ts';
import { decisionRun, escalating, told } from '../support/decisions.ts';
import { sampleEvent } from '../support/sample.ts';

const testSession = handMadeSessionId('test', '0123456789abcdef');
const trialSession = handMadeSessionId('trial', '0123456789abcdef');

describe('decide() of a test (B3)', () => {
  test('sends it to the test channels immediately, without a session, an alert or a later step', () => {
    const run = decisionRun(escalating);
    const fields = { kind: 'test', event: TEST_EVENT, sessionId: testSession } as const;

    const effects = run.feed(fields);

    assert.deepEqual(told(effects, sampleEvent().at), ['desktop@0', 'inbox@0']);
    assert.equal(effects.session, null);
    assert.deepEqual(effects.alerts, []);
  });

  test('leaves it to the machine that events are relayed to', () => {
    const relay = { to: 'home', notifiesHere: false };
    const run = decisionRun({ ...escalating, relay });

    const effects = run.feed({ kind: 'test', event: TEST_EVENT, sessionId: testSession });

    assert.equal(effects.relay, true);
    assert.deepEqual(effects.deliveries, []);
  });
});

test('decide() sends the immediate messages of a trial, and opens neither a session nor an alert (B3)', () => {
  const run = decisionRun(escalating);

  const effects = run.feed({ kind: 'needs.permission', sessionId: trialSession });

  assert.deepEqual(told(effects, sampleEvent().at), ['desktop@0']);
  assert.equal(effects.session, null);
  assert.deepEqual(effects.alerts, []);
  assert.deepEqual(
    effects.deliveries.map(({ alertId }) => alertId),
    [null],
  );
});

test('decide() runs the whole plan for "trigger --plan"', () => {
  const run = decisionRun(escalating);

  const effects = run.feed({
    kind: 'needs.permission',
    sessionId: handMadeSessionId('trigger', '0123456789abcdef'),
  });

  assert.equal(effects.alerts.length, 1);
  assert.equal(effects.deliveries.length, 3);
});

function kindFrom(session_id: string): string | null {
  const payload = JSON.stringify({ hook_event_name: TEST_EVENT, session_id, message: 'hello' });
  const decoded = decodePayload({ payload: Buffer.from(payload), facts: { agent: 'claude' } });
  return decoded.ok ? decoded.event.kind : null;
}

test('decodePayload() takes an event for a test only from a session that hookbell made', () => {
  assert.equal(kindFrom(testSession), 'test');
  assert.equal(kindFrom('6f1c'), 'activity');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { silentEnd } from '../../src/alerts/liveness.ts';
import type { SessionState } from '../../src/core/session.ts';
import { NOW, sampleSession } from '../support/store.ts';

const HOUR_MS = 3_600_000;

const cases: readonly [string, SessionState, boolean | null, number, SessionState | null][] = [
  ['a working agent that was killed ends immediately', 'working', false, 0, 'ended'],
  ['a question of an agent that was killed is over', 'waiting', false, 0, 'ended'],
  ['a living agent may work silently for hours', 'working', true, 5.9, null],
  ['an interrupted turn does not count as working forever', 'working', true, 6, 'done'],
  ['neither does that of an agent that cannot be checked', 'working', null, 6, 'done'],
  ['a question of a living agent waits for days', 'waiting', true, 99, null],
  ['a question waits over night', 'waiting', null, 23, null],
  ['a question without a known agent is given up', 'waiting', null, 24, 'ended'],
  ['a session between turns is left alone', 'done', false, 99, null],
];

for (const [name, state, processAlive, hours, expected] of cases) {
  test(`silentEnd(): ${name}`, () => {
    const session = sampleSession({ state, lastEventAt: NOW });
    const now = NOW + hours * HOUR_MS;

    const end = silentEnd(session, { processAlive, paneGone: false, now });

    assert.equal(end?.state ?? null, expected);
  });
}

for (const [name, state, processAlive, expected] of [
  ['a question whose pane is gone ends immediately', 'waiting', null, 'ended'],
  ['work whose pane is gone ends immediately', 'working', null, 'ended'],
  ['an agent that is seen to live has outlived its pane', 'waiting', true, null],
  ['a session between turns is left alone without a pane too', 'done', null, null],
] as const) {
  test(`silentEnd(): ${name}`, () => {
    const session = sampleSession({ state, lastEventAt: NOW });

    const end = silentEnd(session, { processAlive, paneGone: true, now: NOW });

    assert.equal(end?.state ?? null, expected);
  });
}

for (const [name, sessionId, minutes, expected] of [
  ['an event made by hand may wait for the later steps of its plan', 'trigger-0123abcd', 14, null],
  ['an event made by hand does not wait', 'trigger-0123abcd', 15, 'ended'],
  ['an id that only begins like one made by hand is a real one', 'trigger-happy', 15, null],
] as const) {
  test(`silentEnd(): ${name}`, () => {
    const session = sampleSession({ state: 'waiting', sessionId, lastEventAt: NOW });
    const now = NOW + (minutes / 60) * HOUR_MS;

    const end = silentEnd(session, { processAlive: null, paneGone: false, now });

    assert.equal(end?.state ?? null, expected);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ChannelState } from '../../src/core/delivery.ts';
import { channelStateView } from '../../src/control/status-view.ts';
import { fakeChannel } from '../support/fake-channel.ts';

const NOW = Date.UTC(2026, 0, 1);
const { channel } = fakeChannel({ now: () => NOW });
const fresh: ChannelState = {
  channel: 'team',
  notBefore: 0,
  circuit: 'closed',
  openUntil: null,
  failures: 0,
  lastOutcome: 'retry',
  lastReason: 'HTTP 503',
  lastAt: NOW,
  missingMs: 0,
};

const cases: readonly [string, Partial<ChannelState>, string, string | null][] = [
  ['one that works is ok', {}, 'ok', null],
  ['a time that is over is not shown', { notBefore: NOW - 1 }, 'ok', null],
  ['Retry-After shows when it ends', { notBefore: NOW + 7_000 }, 'limited', '00:00:07'],
  [
    'an open circuit shows when it is tried again',
    { circuit: 'open', openUntil: NOW + 30_000, notBefore: NOW + 7_000 },
    'open',
    '00:00:30',
  ],
  ['a circuit open forever has no such time', { circuit: 'open' }, 'open', null],
];

for (const [name, state, word, time] of cases) {
  test(`channelStateView(): ${name}`, () => {
    const view = channelStateView(
      { name: 'team', type: 'slack', problem: null, channel },
      { ...fresh, ...state },
      NOW,
    );

    assert.equal(view.state, word);
    assert.equal(view.notBefore, time === null ? null : `2026-01-01T${time}.000Z`);
  });
}

test('channelStateView(): what its service has asked to wait with is shown beside its state', () => {
  const paused = () => [{ what: 'chat.update', until: NOW + 7_000 }];
  const view = channelStateView(
    { name: 'team', type: 'slack', problem: null, channel: { ...channel, paused } },
    fresh,
    NOW,
  );

  assert.equal(view.state, 'ok');
  assert.deepEqual(view.paused, [{ what: 'chat.update', until: '2026-01-01T00:00:07.000Z' }]);
});

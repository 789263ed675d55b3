import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { checkChannel } from '../../../src/cli/doctor/channel.ts';
import type { CheckState } from '../../../src/cli/doctor/check.ts';
import type { ChannelCheckView, ChannelStateView } from '../../../src/control/contract.ts';

const working: ChannelCheckView = {
  channel: 'mail',
  type: 'email',
  ok: true,
  summary: 'SMTP login works',
  hint: null,
  can: 'thread',
  cannot: 'reply (needs "reply_page")',
};
const calm: ChannelStateView = {
  name: 'mail',
  type: 'email',
  state: 'ok',
  lastOutcome: 'delivered',
  lastReason: null,
  notBefore: null,
  paused: [],
};

const works = 'email: SMTP login works; can thread; cannot reply (needs "reply_page")';

describe('checkChannel()', () => {
  const cases: readonly [string, Partial<ChannelStateView>, CheckState, string][] = [
    ['works', {}, 'ok', works],
    ['was never used', { lastOutcome: null }, 'ok', works],
    [
      'failed last',
      { lastOutcome: 'retry', lastReason: 'no answer' },
      'warning',
      'email: the last message was not delivered: no answer',
    ],
    ['has to wait', { state: 'limited', lastReason: '429' }, 'warning', 'email: has to wait: 429'],
    [
      'is paused (fault 36)',
      { state: 'open', lastReason: 'no answer' },
      'problem',
      'email: paused after failures: no answer',
    ],
    [
      'cannot be set up',
      { state: 'broken', lastReason: 'no password' },
      'problem',
      'email: cannot be used: no password',
    ],
  ];
  for (const [name, state, expected, summary] of cases) {
    test(`says "${expected}" of a channel that ${name}`, () => {
      const check = checkChannel(working, { ...calm, ...state });

      assert.deepEqual(
        [check.name, check.state, check.summary],
        ['channel mail', expected, summary],
      );
    });
  }

  test('reports one that would not work, with the channel’s own advice', () => {
    const refused = { ...working, ok: false, summary: 'SMTP login refused', hint: 'Check it' };

    assert.deepEqual(checkChannel(refused, calm), {
      name: 'channel mail',
      state: 'problem',
      summary: 'email: SMTP login refused',
      hint: 'Check it',
    });
    assert.equal(checkChannel({ ...refused, hint: null }, null).hint, 'Run "hookbell test mail"');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { channelReason, deliveryLines } from '../../src/cli/print-event.ts';
import type { ChannelStateView } from '../../src/control/contract.ts';
import { sampleEventDeliveryView, sampleEventView } from '../support/sample-views.ts';

const NO_SERVER =
  'Cannot show a pop-up: no notification server on the session bus (dbus); ' +
  "the session's terminal is unknown (terminal)";
const ADVICE =
  'Run "hookbell doctor" to find out why. On a machine without a desktop use another channel: "hookbell channel add"';
const BRIEF = 'desktop: Cannot show a pop-up: no notification server on the session bus';

function lines(
  fields: Parameters<typeof sampleEventDeliveryView>[0],
  channel: Partial<ChannelStateView> = {},
): ReturnType<typeof deliveryLines> {
  const delivery = sampleEventDeliveryView({ sentAt: null, ...fields });
  const state: ChannelStateView = {
    name: 'desktop',
    type: 'desktop',
    state: 'ok',
    lastOutcome: null,
    lastReason: null,
    notBefore: null,
    paused: [],
    ...channel,
  };
  return deliveryLines(sampleEventView({ deliveries: [delivery] }), [state]);
}

describe('deliveryLines()', () => {
  test('says the first reason in brief, and all of them in full', () => {
    assert.deepEqual(lines({ state: 'retrying', reason: NO_SERVER }), [
      { arrived: false, brief: BRIEF, advice: ADVICE, text: `desktop: retrying: ${NO_SERVER}` },
    ]);
  });

  test('says in brief why a channel is paused, not that it is', () => {
    const paused = { state: 'open', lastReason: NO_SERVER } as const;

    assert.deepEqual(lines({ state: 'pending' }, paused), [
      {
        arrived: false,
        brief: BRIEF,
        advice: ADVICE,
        text: `desktop: pending: the channel is paused after failures: ${NO_SERVER}`,
      },
    ]);
  });

  test('keeps a reason without end to one line of a terminal', () => {
    const [line] = lines({ state: 'dead', reason: 'very '.repeat(40) });

    assert.ok(line !== undefined && line.brief.length <= 'desktop: '.length + 72);
    assert.match(line.brief, /^desktop: very very .*…$/);
  });

  test('advises another channel only where a desktop is missing', () => {
    const [line] = lines({ state: 'dead', reason: 'refused' }, { type: 'email' });

    assert.equal(line?.advice, 'Run "hookbell doctor" to find out why');
  });

  test('says where it arrived, and how long that took', () => {
    const [line] = lines({ state: 'sent', sentAt: '2026-03-01T10:00:00.035Z' });

    assert.deepEqual([line?.arrived, line?.text], [true, 'desktop: sent in 35 ms']);
  });
});

test('channelReason() gives one reason for a missing desktop, and all of another channel (B9)', () => {
  const both = 'the server refused the login; see "smtp.user"';

  assert.equal(channelReason('desktop', NO_SERVER), NO_SERVER.split('; ')[0]);
  assert.equal(channelReason('email', both), both);
});

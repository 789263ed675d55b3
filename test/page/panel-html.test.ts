import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ChannelStateView } from '../../src/control/contract.ts';
import type { QuietHours } from '../../src/core/policy.ts';
import {
  channelRows,
  muteRows,
  quietForm,
  quietRows,
  hooklessRows,
  warningRows,
} from '../../src/page/panel-html.ts';
import { sampleMuteView, sampleSessionView, sampleStatusView } from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

const UNTIL = '2026-03-01T12:00:00.000Z';

const night: QuietHours = {
  from: 22 * 60,
  to: 7 * 60 + 5,
  timezone: 'Europe/Berlin',
  days: null,
  letThrough: [],
  meanwhile: { type: 'hold' },
};

const wordsOf = (rows: readonly { readonly html: string }[]): readonly string[] =>
  rows.map(({ html }) => wordsIn(html));

function row(fields: Partial<ChannelStateView>): string {
  const [channel] = sampleStatusView().channels;
  assert.ok(channel);
  return channelRows({ channels: [{ ...channel, ...fields }] })[0]?.html ?? '';
}

describe('channelRows()', () => {
  test('offers a test of every channel except the inbox', () => {
    assert.equal(wordsIn(row({})), 'desktop ok Test');
    assert.equal(wordsIn(row({ name: 'inbox', type: 'inbox' })), 'inbox ok');
  });

  test('shows until when a channel waits, and why, unless its last message arrived', () => {
    const limited = { state: 'limited', notBefore: UNTIL, lastReason: 'too many' } as const;

    assert.equal(
      wordsIn(row({ ...limited, lastOutcome: 'retry' })),
      `desktop waits until ${UNTIL} Test too many`,
    );
    assert.equal(
      wordsIn(row({ ...limited, lastOutcome: 'delivered' })),
      `desktop waits until ${UNTIL} Test`,
    );
  });

  test('has an id without dots, by which the script finds it', () => {
    assert.match(row({ name: 'team.ops' }), /id="channel-team-ops"/);
  });
});

test('warningRows() shows what is wrong with the configuration first', () => {
  const { config } = sampleStatusView();
  const rows = warningRows({
    config: { ...config, problems: ['c.yaml:1:1: is a list'] },
    warnings: ['The disk is almost full'],
  });

  assert.deepEqual(wordsOf(rows), [
    'Configuration: c.yaml:1:1: is a list',
    'The disk is almost full',
  ]);
});

test('hooklessRows() offers the hooks once for an agent that only its record shows', () => {
  const grok = sampleSessionView({ agent: 'grok' });
  const rows = hooklessRows([
    sampleSessionView({ seenBy: 'record' }),
    sampleSessionView({ seenBy: 'record' }),
    { ...grok, seenBy: 'record' },
    grok,
  ]);

  assert.deepEqual(wordsOf(rows), [
    'Claude Code runs without a hook and is seen in its own record. To see and answer more: hookbell install --agent claude',
  ]);
});

test('muteRows() names the conditions of a mute, and when it ends', () => {
  const rows = muteRows([
    sampleMuteView(),
    sampleMuteView({ project: 'shop', agent: 'claude', kind: 'turn.done', until: UNTIL }),
    sampleMuteView({ session: 'claude:s1', channel: 'team' }),
  ]);

  assert.deepEqual(wordsOf(rows), [
    'Everything until you remove it Unmute',
    `project shop, agent claude, kind turn.done until ${UNTIL} Unmute`,
    'session claude:s1, channel team until you remove it Unmute',
  ]);
});

describe('quietRows()', () => {
  test('shows the end of the current quiet hours first', () => {
    assert.deepEqual(wordsOf(quietRows([night], UNTIL)), [
      `Quiet hours until ${UNTIL}`,
      '22:00–07:05 every day notifications are held, Europe/Berlin',
    ]);
  });

  test('shows the days on which they begin, and what happens meanwhile', () => {
    const rows = quietRows(
      [
        { ...night, days: [0, 6], meanwhile: { type: 'discard' } },
        { ...night, days: [5], meanwhile: { type: 'channels', channels: ['mail'] } },
      ],
      null,
    );

    assert.deepEqual(wordsOf(rows), [
      '22:00–07:05 Sun, Sat notifications are discarded, Europe/Berlin',
      '22:00–07:05 Fri only some channels notify, Europe/Berlin',
    ]);
  });
});

const fieldsOf = (html: string): readonly string[] =>
  [...html.matchAll(/<input type="time" name="(\w+)" value="([^"]*)"/g)].map(
    ([, name, value]) => `${name} ${value}`,
  );

describe('quietForm()', () => {
  test('proposes a night, and nothing to remove, before any quiet hours are set', () => {
    const html = quietForm([], 'decide');

    assert.deepEqual(fieldsOf(html), ['from 22:00', 'to 07:30']);
    assert.doesNotMatch(html, /Remove/);
  });

  test('shows the quiet hours that are set, and removes them', () => {
    const html = quietForm([night], 'decide');

    assert.deepEqual(fieldsOf(html), ['from 22:00', 'to 07:05']);
    assert.match(html, /<button class="tool" name="off" value="1" formnovalidate>Remove</);
  });

  test('is left out for several quiet hours, which one form cannot show, and for a browser that may only look', () => {
    assert.equal(quietForm([night, night], 'decide'), '');
    assert.equal(quietForm([night], 'look'), '');
  });
});

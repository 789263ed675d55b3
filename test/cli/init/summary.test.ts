import assert from 'node:assert/strict';
import { test } from 'node:test';

import { summaryOf } from '../../../src/cli/init/set-up.ts';

function channel(type: string, options: Readonly<Record<string, unknown>> = {}) {
  return { type, options, secrets: [] };
}

test('summaryOf() says in plain lines who is notified where and when (B10)', () => {
  const lines = summaryOf({
    channels: [
      channel('desktop'),
      channel('terminal'),
      channel('slack'),
      channel('email', { to: ['ada@example.com'] }),
    ],
    quietHours: { from: '22:00', to: '07:30' },
    api: channel('api', { base_url: 'https://api.example.com' }),
  });

  assert.deepEqual(lines.slice(1), [
    '  immediately  a pop-up on your desktop',
    '  after 2 min  Slack and mail (ada@example.com), unless you react first',
    '  quiet hours  22:00 to 07:30; notifications are held and sent together afterwards',
    '  titles       looked up at https://api.example.com',
    '  more         "hookbell channel add NAME" adds a channel later',
  ]);
});

test('summaryOf() shows Slack as immediate without a nearer channel, and names what is not wanted', () => {
  const lines = summaryOf({
    channels: [channel('slack'), channel('command', { command: ['ring', '-v'] })],
    quietHours: null,
    api: null,
  });

  assert.deepEqual(lines.slice(1, 4), [
    '  immediately  Slack and your command (ring -v)',
    '  quiet hours  none',
    "  titles       from your agents' own files; nothing is looked up",
  ]);
});

test('summaryOf() says which notifications quiet hours let through', () => {
  const lines = summaryOf({
    channels: [channel('desktop')],
    quietHours: { from: '22:00', to: '07:30', letThrough: ['turn.failed'] },
    api: null,
  });

  assert.equal(
    lines[2],
    '  quiet hours  22:00 to 07:30; notifications, except turn.failed, are held and sent together afterwards',
  );
});

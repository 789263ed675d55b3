import assert from 'node:assert/strict';
import { test } from 'node:test';

import { agentTerminal } from '../../src/channels/support/notify-terminal.ts';

const at = new Date(2026, 10, 29, 8, 0, 0).getTime();

for (const [name, answer, expected] of [
  ['an agent that started before', 'Sun Nov 29 07:59:59 2026     ttys003\n', '/dev/ttys003'],
  ['a process that has its number since', 'Sun Nov 29 08:01:00 2026     ttys003\n', null],
  ['a time in another language', 'So 29 Nov 07:59:59 2026 ttys003\n', '/dev/ttys003'],
  ['an agent without a terminal', 'Sun Nov 29 07:59:59 2026     ??\n', null],
  ['an agent that has ended', null, null],
] as const) {
  test(`agentTerminal() on a Mac: ${name}`, async () => {
    const asked: string[] = [];
    const terminal = await agentTerminal(
      { agent: 'claude', facts: { ppid: '4711' }, at },
      {
        platform: 'darwin',
        now: () => at + 120_000,
        ask: (program, words) => {
          asked.push([program, ...words].join(' '));
          return Promise.resolve(answer);
        },
      },
    );

    assert.equal(terminal, expected);
    assert.deepEqual(asked, ['ps -o lstart= -o tty= -p 4711']);
  });
}

import assert from 'node:assert/strict';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { findSessionTerminal } from '../../src/channels/support/notify-terminal.ts';
import terminal from '../../src/channels/terminal.ts';
import type { Channel } from '../../src/core/channel.ts';
import type { Notification } from '../../src/core/notification.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openTmux, type Tmux } from '../support/tmux.ts';
import { send } from './conformance.ts';

const options = { skip: needs('tmux', 'script'), timeout: 30_000 };

function create(configured: Record<string, unknown> = {}): Promise<Channel> {
  return terminal.create(terminal.options.parse(configured), channelDependencies());
}

/** A message of a session in a pane of the server. */
async function messageIn(tmux: Tmux, pane: string, title: string): Promise<Notification> {
  const pid = (await tmux.run('display-message', '-p', '#{pid}')).trim();
  const facts = { tmux: `${tmux.socket},${pid},0`, tmux_pane: pane, term_program: 'tmux' };
  return sampleNotification({ title, body: 'asks', facts });
}

const BELL_ALONE = { type: 'delivered', note: 'Only the bell rang' };

describe('terminal in tmux', options, () => {
  test('terminal: a sequence gets through tmux as it is, where "allow-passthrough" is on', async () => {
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'allow-passthrough', 'on');
    const channel = await create();

    const outcome = await send({ channel }, await messageIn(tmux, '%0', 'shop'));

    assert.deepEqual(outcome, { type: 'delivered' });
    const expected = '\u001b]777;notify;shop;asks\u0007';
    assert.ok((await tmux.shown(expected)).includes(expected));
  });

  test('terminal: OSC 99, which contains escape characters, gets through tmux', async () => {
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'allow-passthrough', 'on');
    const channel = await create({ sequence: 'osc99' });

    await send({ channel }, await messageIn(tmux, '%0', 'shop'));

    const asks = Buffer.from('asks').toString('base64');
    const seen = await tmux.shown(`p=body;${asks}\u001b\\`);
    assert.match(
      seen.replaceAll('\u001b', 'ESC'),
      /ESC\]99;i=\w+:d=0:e=1;c2hvcA==ESC\\ESC\]99;i=\w+:d=1:e=1:p=body;/,
    );
  });

  test('terminal: where tmux passes nothing on the bell rings, and the outcome says so', async () => {
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'allow-passthrough', 'off');
    const channel = await create();

    const outcome = await send({ channel }, await messageIn(tmux, '%0', 'shop'));

    assert.deepEqual(outcome, BELL_ALONE);
    assert.doesNotMatch(await tmux.shown('\u0007'), /shop/);
  });

  test('terminal: what runs in a window out of sight gets the bell', async () => {
    await using tmux = await openTmux();
    await tmux.run('set', '-g', 'allow-passthrough', 'on');
    await tmux.run('new-window', 'sleep 600');
    const channel = await create();

    const outcome = await send({ channel }, await messageIn(tmux, '%0', 'shop'));

    assert.deepEqual(outcome, BELL_ALONE);
    assert.doesNotMatch(await tmux.shown('\u0007'), /shop/);
  });

  test('terminal: a pane of a server that is gone, or of another one, is not written to', async () => {
    await using tmux = await openTmux();
    const channel = await create();
    const message = await messageIn(tmux, '%0', 'shop');
    const otherServer = { ...message.facts, tmux: `${tmux.socket},1,0` };
    const otherPane = { ...message.facts, tmux_pane: '%99' };

    for (const facts of [otherServer, otherPane]) {
      const outcome = await send({ channel }, { ...message, facts });

      assert.equal(outcome.type, 'failed');
      assert.match(outcome.reason, /the session's terminal is unknown/);
    }
  });
});

const here = '$1 %1 100 50 0 1 attached /dev/pts/8 xterm-kitty kitty(0.40)\n';
const elsewhere = '$2 %2 200 51 0 1 attached /dev/pts/7 xterm iTerm2 3.6\n';
for (const [what, passes, active, clients, expected] of [
  ['all, as before tmux 3.3', '', '0', here, 'through-tmux'],
  ['all since 3.4', 'all', '0', here, 'through-tmux'],
  ['what is seen, in 3.3', '1', '1', here, 'through-tmux'],
  ['what is seen, since 3.4', 'on', '1', here, 'through-tmux'],
  ['what is seen, and this is not', 'on', '0', here, 'none'],
  ['nothing, in 3.3', '0', '1', here, 'none'],
  ['nothing, since 3.4', 'off', '1', here, 'none'],
  ['all, but no client is attached', 'all', '1', elsewhere, 'none'],
] as const) {
  test(`findSessionTerminal() knows when tmux lets a sequence pass: ${what}`, async () => {
    const found = await findSessionTerminal(
      { agent: 'claude', at: 0, facts: { tmux: '/tmp/t,7,0', tmux_pane: '%1' } },
      {
        platform: 'linux',
        now: () => 0,
        ask: (_program, words) =>
          Promise.resolve(
            words.includes('list-clients')
              ? clients
              : `7 %1 $1 0 70 ${active} /dev/pts/9 ${passes}\n`,
          ),
      },
    );

    const names = clients === here ? 'xterm-kitty kitty(0.40)' : '';
    assert.deepEqual(found, { path: '/dev/pts/9', names, route: expected });
  });
}

for (const [said, remark] of [
  ['off', /only the bell gets through/],
  ['on', /^Writes to the terminal that the agent runs in$/],
  ['', /^Writes to the terminal that the agent runs in$/],
] as const) {
  test(`terminal: check() says what tmux lets pass, where it says "${said}"`, async () => {
    await using directory = await temporaryDirectory();
    const program = join(directory.path, 'tmux');
    await writeFile(program, `#!/bin/sh\necho "${said}"\n`);
    await chmod(program, 0o755);
    const env = { PATH: `${directory.path}:/usr/bin:/bin` };
    const channel = await terminal.create(terminal.options.parse({}), channelDependencies({ env }));

    const { ok, summary, hint } = await channel.check(AbortSignal.timeout(5_000));

    assert.equal(ok, true);
    assert.match(summary, remark);
    assert.equal(hint?.includes('set -g allow-passthrough on') ?? false, said === 'off');
  });
}

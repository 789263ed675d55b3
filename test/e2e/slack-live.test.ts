import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';

import { fakeTokens, startFakeSlack } from '../support/fake-slack.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

test(
  'the ten steps for a real workspace all hold with the fake one',
  { timeout: 120_000 },
  async () => {
    await using slack = await startFakeSlack();
    await using home = await temporaryDirectory();
    const channel = {
      server: slack.server,
      bot_token: { env: 'BOT' },
      app_token: { env: 'APP' },
      to: 'C0TEAM',
      members: ['T0FAKE:U0ADA'],
    };
    const script = spawn(
      process.execPath,
      [join(projectRoot, 'dist/test/channels-live/slack.js')],
      {
        env: {
          PATH: process.env['PATH'],
          HOME: home.path,
          BOT: fakeTokens.bot,
          APP: fakeTokens.app,
          HOOKBELL_CHANNEL: JSON.stringify(channel),
        },
      },
    );
    const closed = once(script, 'close');
    const shown: string[] = [];
    /** What a person does in Slack at the words of the script. */
    async function act(line: string): Promise<void> {
      const [, button] = /Now press "([^"]+)"/.exec(line) ?? [];
      const titled = /of "([^"]+)"/.exec(line)?.[1];
      await until(() => slack.connections() === 1);
      const post = slack.posts.findLast(
        ({ blocks }) =>
          blocks.some(({ type }) => type === 'actions') &&
          JSON.stringify(blocks).includes(titled ?? ''),
      );
      assert.ok(post);
      if (line.includes('into the thread')) return slack.reply(post.thread ?? '', 'Not now');
      const acts: Readonly<Record<string, string>> = {
        Allow: 'allow',
        Deny: 'deny',
        'Deny with words…': 'words',
        'Snooze 30 min': 'snooze',
        'Mute 1 h': 'mute',
        Seen: 'seen',
      };
      await slack.press(post, acts[button ?? ''] ?? '');
      if (button !== 'Deny with words…') return;
      await until(() => slack.views.length > 0);
      await slack.submit(slack.views[0]!, 'Not like this');
    }
    for await (const line of createInterface({ input: script.stdout })) {
      shown.push(line);
      if (line.endsWith('[y/n]')) script.stdin.write('y\n');
      if (line.startsWith('   Now ')) await act(line);
    }
    const [code] = await closed;

    assert.equal(code, 0, shown.join('\n'));
    assert.equal(shown.at(-1), '10 of 10 steps are as they should be');
  },
);

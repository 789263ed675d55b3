import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { closingSentence, completionHint, hookLines } from '../../../src/cli/init/closing.ts';
import type { ChannelTestView } from '../../../src/control/contract.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const done = { name: 'hooks', state: 'done', text: 'claude' } as const;
const sent: ChannelTestView = {
  channel: 'desktop',
  type: 'desktop',
  outcome: 'delivered',
  durationMs: 12,
  reason: null,
  clickAcknowledges: false,
};
const silent: ChannelTestView = { ...sent, outcome: 'retry', reason: 'no desktop session' };

const missing = (): Promise<string> => Promise.reject(new Error('ENOENT'));
const present = (): Promise<string> => Promise.resolve('eval "$(hookbell completion zsh)"\n');

describe('closingSentence()', () => {
  test('says that everything works, where the settings are, and what may come next', () => {
    const said = closingSentence([done], [sent], '/home/ana/config.yaml');

    assert.match(said, /^Ready\. To change settings, edit \/home\/ana\/config\.yaml;/);
  });

  test('says on a machine without a desktop what works, and which channel reaches people elsewhere', () => {
    const said = closingSentence([done], [silent], '/home/ana/config.yaml');

    assert.match(said, /^Events are recorded, but the test did not arrive through "desktop"\. /);
    assert.match(said, /"hookbell channel add ntfy"/);
  });

  test('sends people to doctor for any other channel, and for a step that failed', () => {
    const team = { ...silent, channel: 'team', type: 'slack' };

    assert.match(
      closingSentence([done], [silent, team], '/c'),
      /"desktop", "team"\. Run "hookbell doctor"/,
    );
    assert.match(
      closingSentence([{ ...done, state: 'failed' }], [silent], '/c'),
      /^Not everything was set up: run "hookbell doctor"/,
    );
  });
});

test('hookLines() names the events of each agent', () => {
  const [claude, ...others] = hookLines(['claude']);

  assert.match(claude ?? '', /^Hooks of claude: .*\bNotification\b/);
  assert.deepEqual(others, []);
  assert.deepEqual(hookLines([]), []);
});

describe('completionHint()', () => {
  test('gives the line for the shell of the user', async () => {
    await using home = await temporaryDirectory();

    for (const [shell, line] of [
      ['/bin/bash', 'For completion in bash: add eval "$(hookbell completion bash)" to ~/.bashrc'],
      [
        '/usr/bin/zsh',
        'For completion in zsh: add eval "$(hookbell completion zsh)" to ~/.zshrc, below compinit',
      ],
      [
        '/usr/bin/fish',
        'For completion in fish: hookbell completion fish >~/.config/fish/completions/hookbell.fish',
      ],
    ] as const) {
      assert.equal(await completionHint({ SHELL: shell }, home.path, missing), line);
    }
  });

  test('is null for another shell, a start-up file that has the line, and a script in its place', async () => {
    await using home = await temporaryDirectory();
    const fish = join(home.path, '.config/fish/completions');
    await mkdir(fish, { recursive: true });
    await writeFile(join(fish, 'hookbell.fish'), '');

    assert.equal(await completionHint({ SHELL: '/bin/dash' }, home.path, missing), null);
    assert.equal(await completionHint({}, home.path, missing), null);
    assert.equal(await completionHint({ SHELL: '/bin/zsh' }, home.path, present), null);
    assert.equal(await completionHint({ SHELL: '/usr/bin/fish' }, home.path, missing), null);
  });
});

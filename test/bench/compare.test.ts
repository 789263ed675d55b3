import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { attentionCases } from '../../bench/support/attention-cases.ts';
import {
  installedNotifiers,
  knownNotifiers,
  parseNotifier,
} from '../../bench/support/notifiers.ts';
import { durabilityCases } from '../../bench/support/durability.ts';
import { registeredHookLines } from '../../bench/support/registered-hooks.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import type { Finished } from '../support/run-process.ts';
import { runProcess } from '../support/run-process.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function compare(...words: readonly string[]): Promise<Finished> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
  const main = join(projectRoot, 'dist/bench/main.js');
  return runProcess(process.execPath, [main, 'compare', ...words], { env });
}

/** A program of ours where the documentation of code-notify says that its hook is: it is slow, and notifies of each Stop. */
async function readersHome() {
  const directory = await temporaryDirectory();
  const program = join(directory.path, '.code-notify/lib/code-notify/core/notifier.sh');
  await mkdir(dirname(program), { recursive: true });
  const text = '#!/bin/sh\ncat >/dev/null\nsleep 0.1\n[ "$1" != stop ] || notify-send Done\n';
  await writeFile(program, text, { mode: 0o755 });
  return { directory, program };
}

/** The cells of the row that begins with these words. */
function row({ stdout }: Finished, name: string): readonly string[] {
  const line = stdout.split('\n').find((each) => each.startsWith(`${name}  `)) ?? '';
  return line.split(/ {2,}/).slice(1);
}

describe('npm run bench -- compare', () => {
  test(
    'measures hookbell, an installed tool and a given command side by side',
    { skip: needs('sh', 'dbus-daemon') },
    async () => {
      const { directory } = await readersHome();
      await using _ = directory;

      const given = ['--rounds', '3', '--command', 'each=paplay {event}.ogg'];
      const done = await compare('--home', directory.path, ...given);

      assert.equal(done.code, 0, done.stderr);
      const medians = ['sh -c :', 'node -e 0', 'hookbell', 'code-notify', 'each'].map((name) =>
        Number.parseFloat(row(done, name)[0] ?? ''),
      );
      assert.ok(
        medians.every((ms) => ms > 0),
        done.stdout,
      );
      const [shell = 0, node = 0, , slow = 0] = medians;
      assert.ok(slow >= 100, done.stdout);
      const [, , thanShell = '', thanNode = ''] = row(done, 'code-notify');
      assert.ok(Math.abs(Number.parseFloat(thanShell) / (slow / shell) - 1) < 0.1, done.stdout);
      assert.ok(Math.abs(Number.parseFloat(thanNode) / (slow / node) - 1) < 0.1, done.stdout);
      // Wanted, hookbell, the tool that shows every Stop, and the command that plays a sound for every event.
      assert.deepEqual(row(done, 'a turn of 21 s finishes'), ['1', '1', '1', '2']);
      assert.deepEqual(row(done, 'a turn of 1 s finishes'), ['0', '0', '1', '2']);
      assert.deepEqual(row(done, 'a permission is granted within 0.3 s'), ['0', '0', '0', '4']);
      assert.deepEqual(row(done, 'a turn fails at a rate limit'), ['1', '1', '0', '2']);
      assert.deepEqual(row(done, 'cases as wanted'), ['8', '8', '4', '0']);
      // Sent, hookbell, and two that try once.
      assert.deepEqual(row(done, 'the receiver fails for some seconds'), ['5', '5', '0', '0']);
      assert.deepEqual(row(done, 'what sends is killed while it sends'), ['5', '5', '0', '0']);
    },
  );

  test('refuses words it does not know, a command without a name, and rounds that are not a number', async () => {
    for (const words of [['extra'], ['--command', 'notify-send x'], ['--rounds', 'many']]) {
      const { code, stdout, stderr } = await compare(...words);

      assert.deepEqual([code, stdout], [2, ''], words.join(' '));
      assert.match(stderr, /^Usage: .*--command "NAME=COMMAND"/);
    }
  });
});

test('docs/alternatives.md shows every case that is played, and names the source of every known tool', async () => {
  const page = await readFile(join(projectRoot, 'docs/alternatives.md'), 'utf8');

  for (const { title, wanted } of attentionCases) {
    assert.match(page, new RegExp(`^\\| ${title} +\\| ${wanted} +\\| ${wanted} `, 'm'));
  }
  for (const { title } of durabilityCases) assert.match(page, new RegExp(`^\\| ${title} `, 'm'));
  for (const line of knownNotifiers()) {
    const [, source = ''] = /\((.+)\)$/.exec(line) ?? [];
    assert.ok(page.includes(`](${source})`), line);
  }
});

const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });

describe('registeredHookLines()', () => {
  test('lists the hooks of the user as options to copy, except that of hookbell, and which are measured anyway', async () => {
    await using directory = await temporaryDirectory();
    const settings = {
      hooks: {
        Stop: [
          hook("~/bin/ring 'it'"),
          hook('/home/ana/.local/share/hookbell/hooks/hookbell-hook'),
        ],
        Notification: [
          hook("~/bin/ring 'it'"),
          hook('~/.claude/ccnotify/ccnotify.py Notification'),
        ],
        SubagentStop: [hook('printf "\u001b[2J"; touch ran')],
      },
    };
    await mkdir(join(directory.path, '.claude'));
    await writeFile(join(directory.path, '.claude/settings.json'), JSON.stringify(settings));

    const [heading, ...lines] = registeredHookLines(directory.path);

    assert.equal(heading, 'Hooks in ~/.claude/settings.json, which run only if you name them:');
    assert.deepEqual(lines, [
      String.raw`  Stop, Notification: --command 'NAME=~/bin/ring '\''it'\'''`,
      '  Notification: measured as CCNotify',
      `  SubagentStop: --command 'NAME=printf ""; touch ran'`,
    ]);
  });

  test('is empty without settings, without hooks, and for settings that cannot be read', async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, '.claude/settings.json');
    await mkdir(dirname(path));

    assert.deepEqual(registeredHookLines(directory.path), []);
    for (const text of ['{}', '{"hooks":{}}', '{"hooks":5}', '{']) {
      await writeFile(path, text);
      assert.deepEqual(registeredHookLines(directory.path), [], text);
    }
  });
});

describe('installedNotifiers()', () => {
  test('finds a tool by the place its documentation names, and runs it only for what it registers', async () => {
    const { directory, program } = await readersHome();
    await using _ = directory;

    const [tool, ...others] = installedNotifiers(directory.path);

    assert.deepEqual(others, []);
    assert.equal(tool?.name, 'code-notify');
    assert.equal(tool?.line('Stop'), `'${program}' stop claude`);
    assert.equal(tool?.line('Notification', 'idle_prompt'), `'${program}' notification claude`);
    assert.equal(tool?.line('Notification', 'permission_prompt'), null);
    assert.equal(tool?.line('PostToolUse'), null);
  });
});

describe('parseNotifier()', () => {
  test('takes a name and a command, which may hold "=" and names the event', () => {
    const tool = parseNotifier('mine = env A=b notify-send {event}');

    assert.equal(tool?.name, 'mine');
    assert.equal(tool?.line('Stop'), 'env A=b notify-send Stop');
    assert.equal(parseNotifier('=x'), null);
    assert.equal(parseNotifier('x='), null);
  });
});

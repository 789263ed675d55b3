import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, mock, test } from 'node:test';

import speech, { spokenText } from '../../src/channels/speech.ts';
import type { ChannelDependencies } from '../../src/core/channel.ts';
import { takeLock } from '../../src/daemon/lock.ts';
import { channelDependencies } from '../support/channel-dependencies.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { createRecorder } from '../support/recorder.ts';
import { sampleNotification } from '../support/sample.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { channelConformance, send } from './conformance.ts';

const POWERSHELL = 'System32/WindowsPowerShell/v1.0/powershell.exe';

/** With a recorder in place of every program. */
async function openRecorded(
  program = 'espeak-ng',
  options: Readonly<Record<string, unknown>> = {},
  dependencies: Partial<ChannelDependencies> = {},
) {
  const programs = await createRecorder();
  await mkdir(dirname(join(programs.directory, program)), { recursive: true });
  const hangs = join(programs.directory, 'hangs');
  await programs.add(program, {
    script: `[ -e ${hangs} ] && exec /bin/sleep 600; exit 0`,
    readsInput: true,
  });
  const env = { PATH: programs.directory, SystemRoot: programs.directory };
  const channel = await speech.create(
    speech.options.parse(options),
    channelDependencies({ env, ...dependencies }),
  );
  return {
    programs,
    channel,
    hang: () => ({
      reached: writeFile(hangs, '').then(() =>
        programs.reached(program, programs.runs(program).length + 1),
      ),
    }),
    async [Symbol.asyncDispose]() {
      await channel.close();
      await programs[Symbol.asyncDispose]();
    },
  };
}

channelConformance(
  speech,
  async () => {
    const stage = await openRecorded();
    let taken = 0;
    return {
      ...stage,
      arrivals: () => {
        const fresh = stage.programs.runs('espeak-ng').slice(taken);
        taken += fresh.length;
        return Promise.resolve(
          fresh.map((run) => ({ shown: run.input, shape: run.arguments.join(' ') })),
        );
      },
      break: () => stage.programs.add('espeak-ng', { script: 'exit 1', readsInput: true }),
    };
  },
  (notification) => [spokenText(notification)],
);

const permission = sampleNotification({
  kind: 'needs.permission',
  title: 'shop needs permission · Fix the cart',
  body: 'Run: npm publish\nClaude Code',
  asked: { action: 'run', text: 'npm publish', options: [] },
});

const asked = (action: 'plan' | 'answer' | 'edit', text: string) => ({
  asked: { action, text, options: [] },
});

describe('what is said', () => {
  for (const [fields, said] of [
    [permission, 'shop needs permission to run npm publish'],
    [
      { ...permission, title: 'shop needs permission · Cart · and 2 other sessions' },
      'shop needs permission to run npm publish, and 2 other sessions',
    ],
    [{ title: 'shop asks', ...asked('answer', 'Which one?') }, 'shop asks: Which one?'],
    [
      { title: 'shop has a plan to approve', ...asked('plan', '# A') },
      'shop has a plan to approve',
    ],
    [{ title: 'shop is done (4 min)', kind: 'turn.done', body: 'Done' }, 'shop is done (4 min)'],
    [
      { title: 'shop has a message for you', kind: 'message', body: 'Hi\nx' },
      'shop has a message for you: Hi',
    ],
    [
      { title: 'The backup is done', kind: 'message', body: 'The backup is done' },
      'The backup is done',
    ],
    [{ title: '--help', kind: 'turn.done', body: '' }, 'help'],
    [{ title: '!-!STOP all', kind: 'turn.done', body: '' }, 'STOP all'],
    [{ title: '<audio src="/x"/>', kind: 'turn.done', body: '' }, 'audio src= /x /'],
    [{ title: '[[volm 0]] a && b', kind: 'turn.done', body: '' }, 'volm 0 a and b'],
    [{ title: '…', kind: 'turn.done', body: '' }, 'hookbell'],
  ] as const) {
    test(`spokenText(): ${said}`, () => {
      assert.equal(spokenText(sampleNotification(fields)), said);
    });
  }

  test('spokenText() has no character with which an option, markup or a command begins', () => {
    for (const text of hostileTexts) {
      const said = spokenText(sampleNotification({ title: text, ...asked('edit', text) }));

      assert.match(said, /^[\p{L}\p{N}][^<>[\]!|\\{}`&\p{C}]*$/u, said);
      assert.ok(said.length <= 300);
    }
  });
});

describe('speech', () => {
  for (const [program, platform, words] of [
    ['espeak-ng', 'linux', ['-v', 'en-gb', '--stdin']],
    ['spd-say', 'linux', ['--wait', '--pipe-mode', '--priority', 'message', '-y', 'en-gb']],
    ['say', 'darwin', ['-v', 'en-gb', '-f', '-']],
    [POWERSHELL, 'win32', null],
  ] as const) {
    test(`on ${platform}, ${program} gets the text on its standard input`, async () => {
      await using stage = await openRecorded(program, { voice: 'en-gb' }, { platform });

      const outcome = await send(stage, permission);

      assert.deepEqual(outcome, { type: 'delivered' });
      const [run] = stage.programs.runs(program);
      const said = spokenText(permission);
      if (words !== null) {
        assert.deepEqual(run?.arguments, words);
        assert.equal(run.input, `${said}\n`);
        return;
      }
      assert.deepEqual(JSON.parse(run?.input ?? ''), { voice: 'en-gb', text: said });
      const script = Buffer.from(run?.arguments.at(-1) ?? '', 'base64').toString('utf16le');
      assert.match(script, /System\.Speech/);
    });
  }

  test('a voice cannot be an option or a path', () => {
    for (const voice of ['-w/tmp/x', '../x', 'a/b', '']) {
      assert.equal(speech.options.safeParse({ voice }).success, false, voice);
    }
  });

  test('a message over a locked screen waits until it is unlocked, unless it may be heard', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    try {
      let isLocked = true;
      let works = 0;
      const isScreenLocked = () => Promise.resolve(isLocked);
      const onWorksAgain = () => void (works += 1);
      await using stage = await openRecorded('espeak-ng', {}, { isScreenLocked, onWorksAgain });
      await using open = await openRecorded('espeak-ng', { when_locked: true }, { isScreenLocked });

      const outcome = await send(stage, permission);
      mock.timers.tick(15_000);
      await Promise.resolve();
      isLocked = false;
      mock.timers.tick(15_000);
      await new Promise(setImmediate);
      mock.timers.tick(60_000);
      await new Promise(setImmediate);

      const reason = 'Not spoken: the screen is locked';
      assert.deepEqual(outcome, { type: 'retry', reason, hidden: 'next-step' });
      assert.deepEqual(stage.programs.runs('espeak-ng'), []);
      assert.equal(works, 1);
      isLocked = true;
      assert.equal((await send(open, permission)).type, 'delivered');
    } finally {
      mock.timers.reset();
    }
  });

  test('one message at a time is spoken, whichever daemon speaks', async () => {
    await using place = await temporaryDirectory();
    const takeVoice = () => takeLock(join(place.path, 'voice'));
    await using one = await openRecorded('espeak-ng', {}, { takeVoice });
    await using other = await openRecorded('espeak-ng', {}, { takeVoice });
    const { reached } = one.hang();
    const ending = new AbortController();

    const first = send(one, permission, ending.signal);
    await reached;
    const second = await send(other, permission);
    ending.abort();

    const reason = 'Another message is being spoken';
    assert.deepEqual(second, { type: 'retry', reason, hidden: 'hold' });
    const stopped = await first;
    assert.equal(stopped.type === 'retry' && stopped.possibleDuplicate, true);
    assert.equal((await send(other, permission)).type, 'delivered');
  });

  test('without a program the check says what to install', async () => {
    const env = { PATH: '/nonexistent' };
    const channel = await speech.create({ when_locked: false }, channelDependencies({ env }));

    const { ok, hint } = await channel.check(AbortSignal.timeout(5_000));

    assert.equal(ok, false);
    assert.match(hint ?? '', /espeak-ng/);
  });
});

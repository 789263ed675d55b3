import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { replyToCodex } from '../../src/reply/reply-to-codex.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const threadId = '01234567-89ab-7def-8123-456789abcdef';

/** A machine whose `codex` is this shell script; it finds the transcript in "$rollout". */
async function machine(script: string) {
  const directory = await temporaryDirectory();
  const day = join(directory.path, '.codex/sessions/2026/01/02');
  await mkdir(day, { recursive: true });
  const rollout = join(day, `rollout-2026-01-02T03-04-05-${threadId}.jsonl`);
  const earlier = { type: 'user_message', message: 'An earlier line' };
  await writeFile(rollout, `${JSON.stringify({ type: 'event_msg', payload: earlier })}\n`);
  const program = `#!/bin/sh\nprintf '%s\\n' "$@" >"$HOME/arguments"\nrollout='${rollout}'\n${script}\n`;
  await writeFile(join(directory.path, 'codex'), program, { mode: 0o700 });
  const env = { HOME: directory.path, PATH: `${directory.path}:${process.env['PATH']}` };
  return {
    reply: (text: string, id = threadId) =>
      replyToCodex(
        { threadId: id, text },
        { env, home: directory.path, platform: process.platform, proofMs: 300 },
      ),
    arguments: () => readFile(join(directory.path, 'arguments'), 'utf8'),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const takes = (message: string): string =>
  `cat >>"$rollout" <<'END'\n${JSON.stringify({ payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: message }] } })}\nEND`;

describe('replyToCodex()', { skip: process.platform === 'win32' }, () => {
  test('is confirmed only by exactly these words in the transcript, after they were sent', async () => {
    const text = '--help $(x) "quoted"\nsecond line';
    await using taking = await machine(takes(text));
    await using changing = await machine(takes(`${text}!`));
    await using silent = await machine('exit 0');

    assert.deepEqual(await taking.reply(text), { state: 'confirmed' });
    assert.deepEqual(await changing.reply(text), { state: 'queued' });
    assert.deepEqual(await silent.reply('An earlier line'), { state: 'queued' });
    assert.equal(await taking.arguments(), `queue\n--thread=${threadId}\n--message=${text}\n`);
  });

  test('says why Codex did not take them, and runs nothing for another id or an empty text', async () => {
    await using failing = await machine('echo "no rollout found for thread id" >&2; exit 1');

    const unknown = await failing.reply('Go on');
    const odd = await failing.reply('Go on', '--remote=ws://evil.test');
    const empty = await failing.reply(' \n');

    assert.deepEqual(unknown, {
      state: 'refused',
      reason: '"codex queue" exited with code 1: no rollout found for thread id',
    });
    assert.equal(odd.state, 'refused');
    assert.deepEqual(empty, { state: 'refused', reason: 'the text is empty' });
    assert.ok(!(await failing.arguments()).includes('evil'));
  });

  test('does not know the outcome of a program that was ended', async () => {
    await using ended = await machine('kill -9 $$');

    assert.equal((await ended.reply('Go on')).state, 'unknown');
  });
});

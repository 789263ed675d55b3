import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import file, { appendLines, checkAppend } from '../../src/channels/file.ts';
import type { ChannelDependencies } from '../../src/core/channel.ts';
import { HungPathError } from '../../src/core/far-files.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { sampleNotification } from '../support/sample.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATH = '/far/log.jsonl';

/** The channel where every file job ends so. */
function channelWith(run: () => Promise<never>) {
  const files: ChannelDependencies['files'] = { run };
  return file.create(file.options.parse({ path: PATH }), channelDependencies({ files }));
}

const hung = (isUntouched: boolean) => new HungPathError(PATH, { place: '/far', isUntouched });
const HUNG = `Cannot reach "${PATH}": the file system on "/far" does not answer`;

for (const [name, error, outcome] of [
  ['does not answer, with the job not begun', hung(true), { reason: HUNG }],
  [
    'stops answering, when the line may have been written',
    hung(false),
    { reason: HUNG, possibleDuplicate: true },
  ],
  [
    'has an error',
    Object.assign(new Error('i/o'), { code: 'EIO' }),
    { reason: `Cannot append to "${PATH}": EIO`, possibleDuplicate: true },
  ],
  [
    'fails without a code',
    new Error('i/o'),
    { reason: `Cannot append to "${PATH}": unknown error`, possibleDuplicate: true },
  ],
] as const) {
  test(`file: a line waits where the file system ${name}`, async () => {
    const channel = await channelWith(() => Promise.reject(error));

    const sent = await channel.send(sampleNotification(), sendContext());

    assert.deepEqual(sent, { type: 'retry', ...outcome });
  });
}

test('file: check() reports a file system that does not answer, and throws what it does not expect', async () => {
  const channel = await channelWith(() => Promise.reject(hung(true)));
  const broken = await channelWith(() => Promise.reject(new Error('The worker has ended')));

  assert.deepEqual(await channel.check(sendContext().signal), {
    ok: false,
    summary: HUNG,
    hint: 'Check the mount: findmnt --target "/far"',
  });
  await assert.rejects(broken.check(sendContext().signal), /The worker has ended/);
});

async function outcomesAt(path: string): Promise<readonly string[]> {
  const outcomes = await appendLines({ path, lines: ['a\n', 'b\n'], mode: 0o600 });
  return outcomes.map((outcome) => (outcome.type === 'delivered' ? '' : outcome.reason));
}

test('file: says what is at its path instead of a regular file, and writes nothing there', async () => {
  await using directory = await temporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  await mkdir(at('folder'));
  await symlink('folder', at('link'));
  const hint = 'Set "path" to a regular file in a directory that you can write to';

  for (const [path, checked, appended] of [
    [at('folder'), 'a directory', 'it is a directory'],
    [at('link'), 'a symbolic link', 'it is a symbolic link'],
    ['/dev/null', 'not a regular file', 'it is not a regular file'],
  ] as const) {
    const reason = `Cannot append to "${path}": ${appended}`;
    assert.deepEqual(await checkAppend({ path }), {
      ok: false,
      summary: `"${path}" is ${checked}`,
      hint,
    });
    assert.deepEqual(await outcomesAt(path), [reason, reason]);
  }
});

test('file: does not wait for the reader of a pipe', { skip: needs('mkfifo') }, async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'pipe');
  execFileSync('mkfifo', [path]);

  const reason = `Cannot append to "${path}": it is a pipe`;
  assert.deepEqual(await outcomesAt(path), [reason, reason]);
  assert.equal((await checkAppend({ path })).summary, `"${path}" is a pipe`);
});

test('file: names what is wrong with a path, the same for each line', async () => {
  await using directory = await temporaryDirectory();
  const long = join(directory.path, 'x'.repeat(300));
  await writeFile(join(directory.path, 'plain'), '');
  const below = join(directory.path, 'plain', 'log.jsonl');

  for (const [path, fault] of [
    [long, 'the path is too long'],
    [below, 'a part of the path is not a directory'],
  ] as const) {
    const reason = `Cannot append to "${path}": ${fault}`;
    assert.deepEqual(await outcomesAt(path), [reason, reason]);
    assert.equal((await checkAppend({ path })).summary, reason);
  }
});

const skip = process.platform === 'linux' ? false : 'needs /proc';
test('file: a directory in which nothing can be made ends the attempt', { skip }, async () => {
  const path = '/proc/hookbell/deep/log.jsonl';
  const reason = `Cannot append to "${path}": ENOENT`;

  assert.deepEqual(await outcomesAt(path), [reason, reason]);
});

test(
  'file: neither writes to a file of another user nor counts it as fine',
  { skip: needsOtherUser() },
  async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'log.jsonl');
    await writeFile(path, '');
    await chown(path, 65_534, 65_534);

    const [reason] = await outcomesAt(path);
    const checked = await checkAppend({ path });

    assert.match(reason ?? '', /^Cannot append to "[^"]+": .*65534/);
    assert.deepEqual([checked.ok, checked.summary], [false, reason]);
  },
);

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import file from '../../src/channels/file.ts';
import type { Channel } from '../../src/core/channel.ts';
import { channelDependencies, sendContext } from '../support/channel-dependencies.ts';
import { sampleNotification } from '../support/sample.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { channelConformance } from './conformance.ts';

function openFile(
  baseDir: string,
  given: Record<string, string> = {},
  env: Record<string, string> = {},
): Promise<Channel> {
  const options = file.options.parse({ path: 'log.jsonl', ...given });
  return file.create(options, channelDependencies({ name: 'journal', baseDir, env }));
}

const logged = z.looseObject({ title: z.string(), body: z.string() });

channelConformance(file, async () => {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'log.jsonl');
  const channel = await openFile(directory.path);
  let taken = 0;
  return {
    channel,
    arrivals: async () => {
      const text = await readFile(path, 'utf8').catch(() => '');
      const lines = text.split('\n').slice(taken, -1);
      taken += lines.length;
      return lines.map((line) => {
        const fields = logged.parse(JSON.parse(line));
        return { shown: `${fields.title}\n${fields.body}`, shape: Object.keys(fields).join() };
      });
    },
    break: async () => {
      await rm(path, { force: true });
      await mkdir(path);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
});

test('file: a notification becomes one line of JSON with exactly the documented keys', async () => {
  await using directory = await temporaryDirectory();
  const channel = await openFile(directory.path);
  const notification = sampleNotification({ eventId: 'e1', title: 'a\u2028b "c"', body: 'x\ny' });

  assert.deepEqual(await channel.send(notification, sendContext()), { type: 'delivered' });
  assert.deepEqual(await channel.send(sampleNotification(), sendContext()), { type: 'delivered' });

  const lines = (await readFile(join(directory.path, 'log.jsonl'), 'utf8')).split('\n');
  assert.equal(lines.length, 3);
  assert.equal(lines[2], '');
  assert.deepEqual(JSON.parse(lines[0] ?? ''), {
    at: '2023-11-14T22:13:20.000Z',
    channel: 'journal',
    eventId: 'e1',
    kind: 'needs.input',
    severity: 'warning',
    sessionId: 's1',
    project: 'shop',
    title: 'a\u2028b "c"',
    body: 'x\ny',
    possibleDuplicate: false,
  });
});

test('file: a line says that it may be a second copy (A15)', async () => {
  await using directory = await temporaryDirectory();
  const channel = await openFile(directory.path);

  await channel.send(sampleNotification({ possibleDuplicate: true }), sendContext());

  const text = await readFile(join(directory.path, 'log.jsonl'), 'utf8');
  assert.equal(JSON.parse(text).possibleDuplicate, true);
});

test('file: lines handed over together are written in their order, and none behind one that failed', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'log.jsonl');
  const channel = await openFile(directory.path);
  const sendAll = (...titles: readonly string[]): Promise<readonly string[]> =>
    Promise.all(
      titles.map(async (title) => {
        const body = 'x'.repeat(300_000);
        return (await channel.send(sampleNotification({ title, body }), sendContext())).type;
      }),
    );

  assert.deepEqual(new Set(await sendAll('a', 'b', 'c', 'd', 'e')), new Set(['delivered']));
  const text = await readFile(path, 'utf8');
  await rm(path);
  await mkdir(path);
  assert.deepEqual(new Set(await sendAll('f', 'g', 'h', 'i', 'j')), new Set(['retry']));

  const titles = text
    .trimEnd()
    .split('\n')
    .map((line) => logged.parse(JSON.parse(line)).title);
  assert.deepEqual(titles, ['a', 'b', 'c', 'd', 'e']);
});

test('file: makes its directory 0700 and its file 0600, whatever the umask', async () => {
  await using directory = await temporaryDirectory();
  const channel = await openFile(directory.path, { path: 'deep/er/log.jsonl' });
  const shared = await openFile(directory.path, { path: 'shared.jsonl', mode: '0640' });
  const umask = process.umask(0o077);

  try {
    await channel.send(sampleNotification(), sendContext());
    await shared.send(sampleNotification(), sendContext());
  } finally {
    process.umask(umask);
  }

  const modeOf = async (path: string): Promise<number> =>
    (await stat(join(directory.path, path))).mode & 0o777;
  assert.equal(await modeOf('deep'), 0o700);
  assert.equal(await modeOf('deep/er'), 0o700);
  assert.equal(await modeOf('deep/er/log.jsonl'), 0o600);
  assert.equal(await modeOf('shared.jsonl'), 0o640);
});

test('file: leaves the mode of a file that exists', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'log.jsonl');
  await writeFile(path, '');
  await chmod(path, 0o644);

  await (await openFile(directory.path)).send(sampleNotification(), sendContext());

  assert.equal((await stat(path)).mode & 0o777, 0o644);
});

test('file: ends a line that a crash left unfinished before it writes its own', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'log.jsonl');
  await writeFile(path, '{"at":"2026-0');

  await (await openFile(directory.path)).send(sampleNotification({ title: 'new' }), sendContext());

  const lines = (await readFile(path, 'utf8')).split('\n');
  assert.equal(lines[0], '{"at":"2026-0');
  assert.match(lines[1] ?? '', /"title":"new"/);
});

test('file: lines of notifications sent at the same time do not mix', async () => {
  await using directory = await temporaryDirectory();
  const one = await openFile(directory.path);
  const other = await openFile(directory.path);
  const notification = sampleNotification({ body: 'x'.repeat(100_000) });

  await Promise.all(
    Array.from({ length: 20 }, () => [one, other])
      .flat()
      .map((channel) => channel.send(notification, sendContext())),
  );

  const lines = (await readFile(join(directory.path, 'log.jsonl'), 'utf8')).trimEnd().split('\n');
  assert.equal(lines.length, 40);
  for (const line of lines)
    assert.match(line, /^\{"at":.*"body":"x{100000}","possibleDuplicate":false\}$/);
});

test('file: "~/" is the home directory, an absolute path is taken as it is', async () => {
  await using directory = await temporaryDirectory();
  const home = join(directory.path, 'home');
  await mkdir(home);
  const inHome = await openFile('/nonexistent', { path: '~/log.jsonl' }, { HOME: home });
  const absolute = await openFile('/nonexistent', { path: join(directory.path, 'abs.jsonl') });

  assert.equal((await inHome.send(sampleNotification(), sendContext())).type, 'delivered');
  assert.equal((await absolute.send(sampleNotification(), sendContext())).type, 'delivered');

  assert.equal((await stat(join(home, 'log.jsonl'))).isFile(), true);
  assert.equal((await stat(join(directory.path, 'abs.jsonl'))).isFile(), true);
});

for (const { name, plant, reason } of [
  {
    name: 'a symbolic link',
    plant: (path: string) => symlink('/etc/hostname', path),
    reason: 'it is a symbolic link',
  },
  {
    name: 'a dangling link',
    plant: (path: string) => symlink(`${path}-elsewhere`, path),
    reason: 'it is a symbolic link',
  },
  {
    name: 'a pipe without blocking',
    plant: (path: string) => Promise.resolve(execFileSync('mkfifo', [path])),
    reason: 'it is a pipe',
  },
  { name: 'a directory', plant: (path: string) => mkdir(path), reason: 'it is a directory' },
]) {
  test(`file: refuses ${name} (T3)`, async () => {
    await using directory = await temporaryDirectory();
    const path = join(directory.path, 'log.jsonl');
    await plant(path);
    const channel = await openFile(directory.path);

    const outcome = await channel.send(sampleNotification(), sendContext());
    const check = await channel.check(sendContext().signal);

    assert.deepEqual(outcome, { type: 'retry', reason: `Cannot append to "${path}": ${reason}` });
    assert.equal(check.ok, false);
    assert.match(check.hint ?? '', /regular file/);
    await assert.rejects(stat(`${path}-elsewhere`), { code: 'ENOENT' });
  });
}

test(
  'file: appends nothing to a file of another user, nor below their directory, also through a link (D10)',
  { skip: needsOtherUser() },
  async () => {
    await using directory = await temporaryDirectory();
    const at = (name: string): string => join(directory.path, name);
    await writeFile(at('foreign.jsonl'), '');
    await chown(at('foreign.jsonl'), 65534, 65534);
    await chmod(at('foreign.jsonl'), 0o666);
    await mkdir(at('theirs/deep'), { recursive: true });
    await writeFile(at('theirs/deep/log.jsonl'), '');
    await chown(at('theirs'), 65534, 65534);
    await mkdir(at('open'));
    await symlink(directory.path, at('open/link'));
    await chmod(at('open'), 0o777);

    for (const [path, reason] of [
      ['foreign.jsonl', /belongs to user 65534/],
      ['theirs/deep/log.jsonl', /theirs" belongs to user 65534/],
      ['open/link/mine.jsonl', /others may write to ".*open" \(mode 0777\)/],
    ] as const) {
      const channel = await openFile(directory.path, { path });

      const outcome = await channel.send(sampleNotification(), sendContext());

      assert.equal(outcome.type, 'retry', path);
      assert.match(outcome.type === 'retry' ? outcome.reason : '', reason);
    }
    assert.equal(await readFile(at('foreign.jsonl'), 'utf8'), '');
    assert.equal(await readFile(at('theirs/deep/log.jsonl'), 'utf8'), '');
  },
);

test('file: a part of the path that is a file is not the fault of the message (A1)', async () => {
  await using directory = await temporaryDirectory();
  await writeFile(join(directory.path, 'plain'), '');
  const channel = await openFile(directory.path, { path: 'plain/log.jsonl' });

  const outcome = await channel.send(sampleNotification(), sendContext());

  assert.equal(outcome.type, 'retry');
  assert.match(JSON.stringify(outcome), /a part of the path is not a directory/);
  assert.equal((await channel.check(sendContext().signal)).ok, false);
});

test(
  'file: a full disk is retried and its half line is ended (fault 12)',
  {
    skip: needs('mount') || (process.getuid?.() === 0 ? false : 'needs root for a small tmpfs'),
  },
  async () => {
    await using directory = await temporaryDirectory();
    const disk = join(directory.path, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
    try {
      const channel = await openFile(disk);
      const body = 'x'.repeat(40_000);
      await writeFile(join(disk, 'ballast'), 'y'.repeat(50_000));

      const full = await channel.send(sampleNotification({ body }), sendContext());
      await rm(join(disk, 'ballast'));
      const after = await channel.send(sampleNotification({ body }), sendContext());

      assert.deepEqual(full, {
        type: 'retry',
        reason: `Cannot append to "${join(disk, 'log.jsonl')}": no space left`,
      });
      assert.deepEqual(after, { type: 'delivered' });
      const lines = (await readFile(join(disk, 'log.jsonl'), 'utf8')).trimEnd().split('\n');
      assert.match(lines.at(-1) ?? '', /^\{"at":.*x{40000}","possibleDuplicate":false\}$/);
    } finally {
      execFileSync('umount', [disk]);
    }
  },
);

test('file: an aborted attempt writes nothing and asks for another', async () => {
  await using directory = await temporaryDirectory();
  const channel = await openFile(directory.path);

  const outcome = await channel.send(
    sampleNotification(),
    sendContext({ signal: AbortSignal.abort() }),
  );

  assert.equal(outcome.type, 'retry');
  await assert.rejects(stat(join(directory.path, 'log.jsonl')), { code: 'ENOENT' });
});

test('file: check() distinguishes an existing file from a missing one, and creates neither', async () => {
  await using directory = await temporaryDirectory();
  const channel = await openFile(directory.path, { path: 'new/log.jsonl' });
  const { signal } = sendContext();

  const before = await channel.check(signal);
  await assert.rejects(stat(join(directory.path, 'new')), { code: 'ENOENT' });
  await channel.send(sampleNotification(), sendContext());
  const after = await channel.check(signal);

  assert.match(before.summary, /^Will create "/);
  assert.match(after.summary, /^Appends to "/);
  assert.deepEqual([before.ok, after.ok], [true, true]);
});

test('file: options need a path and refuse unknown keys and odd modes', () => {
  for (const given of [
    {},
    { path: '' },
    { path: 'a\0b' },
    { path: 'a', mode: '9' },
    { path: 'a', x: 1 },
  ]) {
    assert.equal(file.options.safeParse(given).success, false, JSON.stringify(given));
  }
});

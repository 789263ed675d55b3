import assert from 'node:assert/strict';
import { chmod, chown, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { execa } from 'execa';

import {
  findProjectFile,
  PROJECT_FILE,
  readWishes,
  settingsOf,
} from '../../src/config/project-file.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const uid = process.geteuid?.() ?? null;

/** A git work tree with a directory two levels down. */
async function repository() {
  const directory = await temporaryDirectory();
  const root = join(directory.path, 'shop');
  const deep = join(root, 'packages', 'web');
  await mkdir(deep, { recursive: true });
  await mkdir(join(root, '.git'));
  return {
    root,
    deep,
    file: join(root, PROJECT_FILE),
    above: directory.path,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

async function contentIn(directory: string): Promise<unknown> {
  return (await findProjectFile(directory, uid))?.content;
}

describe('findProjectFile() (T18, fault 58)', () => {
  test('takes the nearest file up to the top of the work tree', async () => {
    await using place = await repository();
    await writeFile(place.file, 'label: top\n');
    assert.equal((await findProjectFile(place.deep, uid))?.path, place.file);

    const nearer = join(place.deep, PROJECT_FILE);
    await writeFile(nearer, 'label: web\n');
    assert.equal((await findProjectFile(place.deep, uid))?.path, nearer);
  });

  test('never looks above the work tree, and outside of one only at the directory itself', async () => {
    await using place = await repository();
    await writeFile(join(place.above, PROJECT_FILE), 'label: above\n');
    const plain = join(place.above, 'plain');
    await mkdir(plain);

    assert.equal(await findProjectFile(place.deep, uid), null);
    assert.equal(await findProjectFile(plain, uid), null);
    assert.notEqual(await findProjectFile(place.above, uid), null);
  });

  test('takes no link, no FIFO, no directory, no giant and nothing others may write', async () => {
    await using place = await repository();
    const target = join(place.above, 'target');
    await writeFile(target, 'label: x\n');
    const odd: readonly (readonly [reason: string, make: () => Promise<unknown>])[] = [
      ['is not a regular file', () => symlink(target, place.file)],
      ['is not a regular file', () => execa('mkfifo', [place.file])],
      ['is not a regular file', () => mkdir(place.file)],
      ['is larger than 16384 bytes', () => writeFile(place.file, '#'.repeat(20_000))],
      [
        'can be written by others',
        async () => {
          await writeFile(place.file, '');
          await chmod(place.file, 0o666);
        },
      ],
    ];
    for (const [reason, make] of odd) {
      await execa('rm', ['-rf', place.file]);
      await make();

      assert.deepEqual(await contentIn(place.deep), { ok: false, reason });
    }
  });

  test('takes no file of another user', async (t) => {
    if (uid !== 0) return t.skip('only root can give a file away');
    await using place = await repository();
    await writeFile(place.file, 'label: x\n');
    await chown(place.file, 65_534, 65_534);

    assert.deepEqual(await contentIn(place.deep), { ok: false, reason: 'belongs to user 65534' });
  });

  test('is total: whatever an agent calls its directory', async () => {
    for (const directory of ['', 'relative', '/nonexistent/x', '/dev/null', 'a\0b', '/a\0b']) {
      assert.equal(await findProjectFile(directory, uid), null);
    }
  });
});

describe('readWishes() (T18, fault 58)', () => {
  test('takes kinds to mute and a label, and nothing else', async () => {
    assert.deepEqual(
      await readWishes(`
label: "Shop\\e[31m \\u202Efront"
mute: [tool.done, done]
channels: { evil: { type: webhook, url: https://evil.test } }
routes: [{ match: {}, notify: evil }]
templates: { title: { default: x } }
command: [id]
`),
      {
        label: 'Shop front',
        mute: ['tool.done', 'turn.done'],
        ignored: ['channels', 'routes', 'templates', 'command'].map(
          (key) => `"${key}" is ignored: a project can only mute and label`,
        ),
      },
    );
  });

  test('ignores and says what it does not understand', async () => {
    const rows: readonly (readonly [text: string, ignored: RegExp])[] = [
      ['mute: everything', /"mute" is ignored/],
      ['label: [a]', /"label" is ignored/],
      ['label: ""', /"label" is ignored/],
      [': :\n\t-', /not valid YAML/],
      ['- a', /not a mapping/],
      ['!!js/function x: y', /not valid YAML|is ignored/],
      ['__proto__: { mute: done }', /not valid YAML|is ignored/],
    ];
    for (const [text, ignored] of rows) {
      const wishes = await readWishes(text);

      assert.deepEqual([wishes.label, wishes.mute], [null, []], text);
      assert.match(wishes.ignored.join(), ignored, text);
    }
  });
});

describe('settingsOf() (T18)', () => {
  const content = { ok: true as const, text: 'mute: done\n', hash: 'abc' };
  const file = { path: '/home/dev/shop/.hookbell.yaml', content };

  test('lets nothing of an untrusted or changed file hold, and says so', async () => {
    const untrusted = await settingsOf(file, new Map());
    const changed = await settingsOf(file, new Map([[file.path, 'another']]));

    assert.deepEqual([untrusted.mute, changed.mute], [[], []]);
    assert.match(untrusted.note ?? '', /is not trusted/);
    assert.match(changed.note ?? '', /has changed since it was trusted/);
  });

  test('lets a trusted one hold', async () => {
    const { mute, note } = await settingsOf(file, new Map([[file.path, 'abc']]));

    assert.deepEqual([mute, note], [['turn.done'], null]);
  });
});

import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, symlink, unlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import type { RegistrableAgent } from '../../src/setup/hook-places.ts';
import { adoptHooks, applyHooks, planHooks, revertHooks } from '../../src/setup/hooks.ts';
import { emptyManifest, type Manifest } from '../../src/setup/manifest.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writtenRecord } from '../support/written-hooks.ts';

const HOOK = '/opt/hookbell/hooks/hookbell-hook';
const MOVED = '/usr/lib/hookbell/hooks/hookbell-hook';
const ASK = '/opt/hookbell/hooks/hookbell-ask';
const FILE = '.factory/settings.json';
const agent: RegistrableAgent = {
  agent: 'droid',
  registration: {
    evidence: ['.factory'],
    programs: [],
    files: [{ path: FILE, shape: 'wrapped' }],
    events: [{ name: 'Stop', timeoutSeconds: 5 }],
    answers: { name: 'PermissionRequest', timeout: 86_400 },
    afterwards: null,
  },
};

async function home() {
  const directory = await temporaryDirectory();
  const path = join(directory.path, FILE);
  const surroundings = { base: directory.path, home: directory.path, searchPath: '' };
  await mkdir(dirname(path));
  const plan = (hook = HOOK, options: Parameters<typeof planHooks>[3] = {}) =>
    planHooks(agent, hook, surroundings, options);
  return {
    path,
    plan,
    read: () => readFile(path, 'utf8'),
    write: (text: string) => writeFile(path, text),
    /** Registers the hook, and returns what an uninstall needs. */
    register: async (hook = HOOK, manifest: Manifest = emptyManifest) =>
      writtenRecord(await plan(hook), manifest),
    files: () => readdir(dirname(path)),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const recorded = (...settings: Manifest['settings']): Manifest => ({ ...emptyManifest, settings });

describe('planHooks() with answers', () => {
  const answers = { hook: ASK, words: undefined };

  test('registers both hooks in one change, and then neither again', async () => {
    await using place = await home();
    await place.write('{}');

    await writtenRecord(await place.plan(HOOK, { answers }));

    const { hooks } = JSON.parse(await place.read());
    assert.deepEqual(Object.keys(hooks), ['Stop', 'PermissionRequest']);
    assert.match(hooks.PermissionRequest[0].hooks[0].command, / exec \/opt\/.*hookbell-ask/);
    assert.equal((await place.plan(HOOK, { answers })).type, 'unchanged');
    assert.equal((await place.plan()).type, 'unchanged');
  });

  test('takes only the waiting hook out where answers are no longer wanted', async () => {
    await using place = await home();
    await place.write('{}');
    await place.register();
    const silent = await place.read();
    await writtenRecord(await place.plan(HOOK, { answers }));

    await writtenRecord(await place.plan(HOOK, { answers: 'remove' }));

    assert.equal(await place.read(), silent);
  });

  test('refuses a file that can take only the silent hook', async () => {
    await using place = await home();
    const before = '{"hooks": {"PermissionRequest": "mine"}}';
    await place.write(before);

    const plan = await place.plan(HOOK, { answers });

    assert.ok(plan.type === 'refused');
    assert.equal(plan.reason, '"hooks.PermissionRequest" is not an array');
    assert.equal(await place.read(), before);
  });
});

describe('applyHooks()', () => {
  test('leaves a file alone that another program wrote meanwhile, or made', async () => {
    for (const before of ['{}', null]) {
      await using place = await home();
      if (before !== null) await place.write(before);
      const plan = await place.plan();
      assert.ok(plan.type === 'write');
      await place.write('{"model": "x"}');

      assert.deepEqual(await applyHooks(plan, emptyManifest), { state: 'changed' });

      assert.equal(await place.read(), '{"model": "x"}');
    }
  });

  test('leaves a file alone that was removed meanwhile', async () => {
    await using place = await home();
    await place.write('{}');
    const plan = await place.plan();
    assert.ok(plan.type === 'write');
    await unlink(place.path);

    assert.deepEqual(await applyHooks(plan, emptyManifest), { state: 'changed' });
  });

  test('gives the reason, and what to add by hand, where it cannot write', async () => {
    await using place = await home();
    await place.write('{}');
    const plan = await place.plan();
    assert.ok(plan.type === 'write');

    const applied = await applyHooks({ ...plan, path: join(place.path, 'x.json') }, emptyManifest);

    assert.ok(applied.state === 'failed');
    assert.match(applied.refusal.reason, /^it cannot be written \((?:EEXIST|ENOTDIR)\)$/);
    assert.match(applied.refusal.byHand ?? '', /hookbell-hook/);
  });

  test('keeps the file before the first change as its backup, through later changes of ours', async () => {
    await using place = await home();
    const before = '{"model":   "x"}';
    await place.write(before);
    const first = await place.register();

    const second = await place.register(MOVED, recorded(first));

    assert.equal(second.backup, first.backup);
    assert.match(await place.read(), /\/usr\/lib\/hookbell/);
    assert.equal(await revertHooks(second), 'restored');
    assert.equal(await place.read(), before);
    assert.deepEqual(await place.files(), ['settings.json']);
  });

  test('makes no backup of a file that we made, which an uninstall removes', async () => {
    await using place = await home();
    const first = await place.register();

    const second = await place.register(MOVED, recorded(first));

    assert.deepEqual([first.backup, second.backup], [null, null]);
    assert.equal(await revertHooks(second), 'restored');
    assert.deepEqual(await place.files(), []);
  });

  test('makes no backup either where only the blanks of our file were edited', async () => {
    await using place = await home();
    const first = await place.register();
    await place.write(`${await place.read()}\n\n`);

    const second = await place.register(MOVED, recorded(first));

    assert.equal(second.backup, null);
    assert.equal(await revertHooks(second), 'restored');
    assert.deepEqual(await place.files(), []);
  });

  test('backs up a file of an unrecorded installation without our entries', async () => {
    await using place = await home();
    await place.write('{"model": "x"}');
    await place.register();

    const record = await place.register(MOVED);

    assert.equal(await revertHooks(record), 'restored');
    assert.equal(await place.read(), '{"model": "x"}');
  });
});

describe('adoptHooks()', () => {
  test('records a file with our entries once, so that an uninstall takes them out', async () => {
    await using place = await home();
    await place.write('{"model": "x"}');
    await place.register();
    const plan = await place.plan();
    assert.ok(plan.type === 'unchanged');

    const manifest = adoptHooks(plan, emptyManifest);

    assert.ok(manifest);
    assert.equal(adoptHooks(plan, manifest), null);
    const [record] = manifest.settings;
    assert.ok(record);
    assert.equal(await revertHooks(record), 'removed');
    assert.deepEqual(JSON.parse(await place.read()), { model: 'x' });
  });
});

describe('revertHooks()', () => {
  test('finds nothing to do where the file is gone, and removes its backup', async () => {
    await using place = await home();
    await place.write('{}');
    const record = await place.register();
    await unlink(place.path);

    assert.equal(await revertHooks(record), 'gone');
    assert.deepEqual(await place.files(), []);
  });

  test('leaves a file that cannot be read, and keeps its backup', async () => {
    await using place = await home();
    await place.write('{}');
    const record = await place.register();
    await unlink(place.path);
    await symlink('elsewhere.json', place.path);

    assert.equal(await revertHooks(record), 'left');
    assert.deepEqual((await place.files()).toSorted(), [
      'settings.json',
      'settings.json.hookbell-backup',
    ]);
  });

  test('takes our entries out where the backup was lost', async () => {
    await using place = await home();
    await place.write('{"model": "x"}');
    const record = await place.register();
    await unlink(record.backup ?? '');

    assert.equal(await revertHooks(record), 'removed');

    assert.deepEqual(JSON.parse(await place.read()), { model: 'x' });
  });
});

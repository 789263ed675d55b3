import assert from 'node:assert/strict';
import { mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { installConfig } from '../../src/setup/install-config.ts';
import type { NewConfig } from '../../src/setup/install-config.ts';
import { createInstallRecorder } from '../../src/setup/install-recorder.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function machine() {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const path = join(home, 'config.yaml');
  const secret = { path: join(home, 'secrets/a'), text: 'hunter2\n' };
  const config: NewConfig = {
    text: 'new',
    isStarter: true,
    existing: { backup: `${path}.backup`, worthless: 'starter' },
    secrets: [secret],
  };
  return {
    home,
    path,
    secret,
    installConfig: async (changes: Partial<NewConfig> = {}, { dryRun = false } = {}) =>
      installConfig(
        path,
        { ...config, ...changes },
        await createInstallRecorder(join(home, 'state/install.json'), dryRun),
      ),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('installConfig()', () => {
  test('writes the configuration and its secrets for this user alone, and nothing the second time', async () => {
    await using place = await machine();

    const first = await place.installConfig();
    const second = await place.installConfig();

    assert.deepEqual([first.state, second.state], ['done', 'unchanged']);
    assert.equal(await readFile(place.secret.path, 'utf8'), 'hunter2\n');
    for (const path of [place.path, place.secret.path]) {
      assert.equal((await stat(path)).mode & 0o777, 0o600);
    }
    assert.equal((await stat(join(place.home, 'secrets'))).mode & 0o777, 0o700);
    const manifest = JSON.parse(await readFile(join(place.home, 'state/install.json'), 'utf8'));
    assert.deepEqual(manifest.secrets, [place.secret.path]);
  });

  test('keeps a copy of the one it replaces, and never replaces that', async () => {
    await using place = await machine();
    await writeFile(place.path, 'mine');

    const { text } = await place.installConfig();
    await writeFile(place.path, 'mine again');
    const again = place.installConfig();

    await assert.rejects(again, { code: 'EEXIST' });
    assert.equal(text, `${place.path} (the earlier one: ${place.path}.backup)`);
    assert.equal(await readFile(`${place.path}.backup`, 'utf8'), 'mine');
    assert.equal(await readFile(place.path, 'utf8'), 'mine again');
  });

  test('keeps no copy of one that is worthless', async () => {
    await using place = await machine();
    await writeFile(place.path, 'starter');

    const { text } = await place.installConfig();

    assert.equal(text, place.path);
    assert.deepEqual(await readdir(place.home), ['config.yaml', 'secrets', 'state']);
  });

  test('touches neither a configuration that is kept nor anything in a dry run', async () => {
    await using place = await machine();
    await writeFile(place.path, 'mine');
    await mkdir(join(place.home, 'secrets'));

    const kept = await place.installConfig({ existing: 'keep' });
    const dry = await place.installConfig({}, { dryRun: true });

    assert.deepEqual([kept.state, dry.state], ['unchanged', 'done']);
    assert.deepEqual(await readdir(place.home, { recursive: true }), ['config.yaml', 'secrets']);
    assert.equal(await readFile(place.path, 'utf8'), 'mine');
  });
});

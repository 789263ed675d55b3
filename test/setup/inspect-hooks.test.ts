import assert from 'node:assert/strict';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { dialects } from '../../src/agents/registry.ts';
import { planHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { projectRoot } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { writtenRecord } from '../support/written-hooks.ts';

const ID = 'hookbell@hookbell';

/** The home of a person with the plugin, as the agent has copied it, and a project. */
async function homeWithPlugin(folder: string) {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const cache = join(home, folder, 'plugins/cache/hookbell/hookbell/0.1.0');
  await cp(join(projectRoot, 'packaging/plugin'), cache, { recursive: true });
  const write = async (path: string, content: unknown): Promise<void> => {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), JSON.stringify(content));
  };
  return {
    home,
    cache,
    write,
    surroundings: { base: home, home, searchPath: '' },
    install: (record: object) =>
      write(join(folder, 'plugins/installed_plugins.json'), {
        version: 2,
        plugins: { 'other@x': [{ installPath: '/x' }], [ID]: [{ installPath: cache, ...record }] },
      }),
    enable: (path: string, on: boolean) => write(path, { enabledPlugins: { [ID]: on } }),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

for (const [agent, folder] of [
  ['claude', '.claude'],
  ['droid', '.factory'],
] as const) {
  const [registration] = dialects[agent].registrations;
  assert.ok(registration);
  const registrable = { agent, registration };

  describe(`inspectHooks(): the plugin in ${agent}`, () => {
    test('counts where it is installed and switched on', async () => {
      await using place = await homeWithPlugin(folder);
      await place.install({ scope: 'user' });
      await place.enable(`${folder}/settings.json`, true);

      const { hooks, elsewhere } = await inspectHooks(registrable, place.surroundings);

      assert.deepEqual(hooks, []);
      assert.deepEqual(
        elsewhere.map(({ by, path, plugin }) => [by, path, plugin]),
        [['plugin', join(place.cache, 'hooks/hooks.json'), ID]],
      );
      assert.ok(elsewhere[0]?.hooks.some(({ event }) => event === 'Stop'));
    });

    test('does not count where it is switched off, for the user or in the project, or is not installed', async () => {
      await using place = await homeWithPlugin(folder);
      const project = join(place.home, 'work');
      const count = async () =>
        (await inspectHooks(registrable, place.surroundings, project)).elsewhere.length;

      assert.equal(await count(), 0);
      await place.enable(`${folder}/settings.json`, true);
      assert.equal(await count(), 0);
      await place.install({ scope: 'user' });
      assert.equal(await count(), 1);
      await place.enable(`work/${folder}/settings.json`, false);
      assert.equal(await count(), 0);
      await place.enable(`work/${folder}/settings.local.json`, true);
      assert.equal(await count(), 1);
      await place.enable(`work/${folder}/settings.local.json`, false);
      assert.equal(await count(), 0);
    });

    test('counts in the project it is installed for, and in no other', async () => {
      await using place = await homeWithPlugin(folder);
      const project = join(place.home, 'work');
      await place.install({ scope: 'project', projectPath: project });
      await place.enable(`${folder}/settings.json`, true);
      const count = async (where: string | null) =>
        (await inspectHooks(registrable, place.surroundings, where)).elsewhere.length;

      assert.deepEqual([await count(project), await count('/w'), await count(null)], [1, 0, 0]);
    });
  });
}

for (const [agent, path, key] of [
  ['claude', '.claude/settings.json', 'disableAllHooks'],
  ['claude', 'work/.claude/settings.local.json', 'disableAllHooks'],
  ['droid', '.factory/settings.json', 'hooksDisabled'],
  ['copilot', '.copilot/settings.json', 'disableAllHooks'],
] as const) {
  test(`inspectHooks() sees that ${path} switches the hooks of ${agent} off`, async () => {
    await using place = await homeWithPlugin('.claude');
    const [registration] = dialects[agent].registrations;
    assert.ok(registration);
    const look = async () =>
      inspectHooks({ agent, registration }, place.surroundings, join(place.home, 'work'));

    await place.write(path, { [key]: false });
    assert.equal((await look()).off, null);
    await place.write(path, { [key]: true });

    assert.deepEqual((await look()).off, { path: join(place.home, path), key });
  });
}

test('inspectHooks() counts what the project registers beside the settings of the user', async () => {
  await using place = await homeWithPlugin('.claude');
  const [registration] = dialects.copilot.registrations;
  assert.ok(registration);
  const copilot = { agent: 'copilot', registration } as const;
  const project = join(place.home, 'work');
  const hook = join(projectRoot, 'hooks/hookbell-hook');
  for (const base of [place.home, project]) {
    await writtenRecord(
      await planHooks(copilot, hook, { ...place.surroundings, base }, { force: true }),
    );
  }

  const { path, elsewhere } = await inspectHooks(copilot, place.surroundings, project);

  assert.equal(path, join(place.home, '.copilot/hooks/hookbell.json'));
  assert.deepEqual(
    elsewhere.map(({ by, path: other }) => [by, other]),
    [['project', join(project, '.github/hooks/hookbell.json')]],
  );
});

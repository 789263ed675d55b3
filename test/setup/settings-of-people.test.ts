import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { dialects } from '../../src/agents/registry.ts';
import { type HookFile, moduleShapes } from '../../src/core/agent/registration.ts';
import type { RegistrableAgent } from '../../src/setup/hook-places.ts';
import { revertHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { installHooks } from '../../src/setup/install-hooks.ts';
import { createInstallRecorder } from '../../src/setup/install-recorder.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HOOK = '/opt/hookbell/hooks/hookbell-hook';

/** Another program's part of the file, for an event that we register as well. */
function others({ shape }: HookFile, event: string): string {
  const handler = { type: 'command', command: './mine --flag', bash: './mine --flag' };
  const list = ['cursor', 'copilot', 'vscode'].includes(shape) ? [handler] : [{ hooks: [handler] }];
  const hooks = { Other: list, [event]: list };
  if (shape === 'bare') return JSON.stringify(hooks, null, 2);
  return JSON.stringify({ version: 1, model: 'x', hooks, last: [1, 2] }, null, 2);
}

const layouts: readonly (readonly [string, (json: string) => string])[] = [
  ['two blanks', (json) => `${json}\n`],
  ['tabs', (json) => json.replaceAll('  ', '\t')],
  ['CRLF', (json) => `${json}\n`.replaceAll('\n', '\r\n')],
  ['a byte-order mark', (json) => `\ufeff${json}\n`],
  ['one line', (json) => JSON.stringify(JSON.parse(json))],
  [
    'comments and commas at the end',
    (json) =>
      `// mine: {\n${json.replace('{', '{ /* "a" */').replaceAll(/([}\]\d"])\n/g, '$1, // z\n')}\n// end`,
  ],
  ['nothing', () => ''],
  ['white space', () => ' \r\n'],
  ['an empty object', () => '{}'],
  ['an empty object with a comment', () => '{\n  // nothing yet\n}\n'],
];
const tomlLayouts: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['comments', '# mine\nmodel = "x" # why\n\n# of the table\n[a]\nb = 1\n'],
  ['CRLF', 'model = "x"\r\n\r\n[a]\r\nb = 1\r\n'],
  ['a byte-order mark', '\ufeffmodel = "x"\n'],
];

interface Case {
  readonly name: string;
  readonly agent: RegistrableAgent;
  readonly path: string;
  readonly files: readonly (readonly [string, string])[];
}

const cases: readonly Case[] = Object.values(dialects).flatMap(({ agent, registrations }) =>
  registrations.flatMap((registration) =>
    registration.files
      .filter(({ shape }) => shape !== 'kiro' && !moduleShapes.some((one) => one === shape))
      .map((file) => {
        const event = registration.events[0]?.name ?? '';
        const files =
          file.shape === 'codex-notify' || file.shape === 'toml-hooks'
            ? tomlLayouts
            : layouts.map(([name, laid]) => [name, laid(others(file, event))] as const);
        const name = `${agent}: ${file.path}`;
        return { name, agent: { agent, registration }, path: file.path, files };
      }),
  ),
);

/** A home in which the settings file of one agent lies, and an installation that can be run and undone. */
async function homeWith({ agent, path }: Pick<Case, 'agent' | 'path'>, content: string | null) {
  const directory = await temporaryDirectory();
  const home = directory.path;
  const file = join(home, path);
  await mkdir(dirname(file), { recursive: true });
  if (content !== null) await writeFile(file, content);
  const surroundings = { base: home, home, searchPath: '' };
  const manifest = join(home, 'state/install.json');
  const read = async () => readFile(file, 'utf8').catch(() => null);
  return {
    home,
    file,
    manifest,
    surroundings,
    read,
    async install() {
      const recorder = await createInstallRecorder(manifest, false);
      const [step] = await installHooks(
        [agent],
        { hook: HOOK, force: true, surroundings },
        recorder,
      );
      assert.ok(step);
      return step;
    },
    async uninstall() {
      const recorder = await createInstallRecorder(manifest, false);
      const removals = [];
      for (const record of recorder.manifest().settings) removals.push(await revertHooks(record));
      return removals;
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

/** The text without the differences between an empty file and one without settings. */
function essence(text: string): string {
  const spoken = text.replace(/\n *"version": 1\n/, '\n').trim();
  return spoken.replace(/^\{\s*\}$/, '');
}

for (const each of cases) {
  describe(`installHooks() and revertHooks(), ${each.name}`, () => {
    for (const [name, content] of each.files) {
      test(`${name}: register every event once, change nothing again, and give every byte back`, async () => {
        await using place = await homeWith(each, content);

        assert.equal((await place.install()).state, 'done');
        const installed = await place.read();
        assert.equal((await place.install()).state, 'unchanged');

        assert.equal(await place.read(), installed);
        const { hooks } = await inspectHooks(each.agent, place.surroundings);
        assert.deepEqual(
          hooks.map(({ event }) => event).toSorted(),
          each.agent.registration.events.map((event) => event.name).toSorted(),
        );
        assert.deepEqual(await place.uninstall(), ['restored']);
        assert.equal(await place.read(), content);
      });

      test(`${name}: give back what others have changed since, between two runs as well`, async () => {
        await using place = await homeWith(each, content);
        await place.install();
        const edited = `${(await place.read()) ?? ''}\n`;
        await writeFile(place.file, edited);
        // As a later release would, that registers one event more.
        await writeFile(place.file, edited.replace(HOOK, '/old/hooks/hookbell-hook'));
        assert.equal((await place.install()).state, 'done');

        const removals = await place.uninstall();

        const left = (await place.read()) ?? '';
        assert.doesNotMatch(left, /hookbell-hook/);
        assert.equal(essence(left), essence(content));
        assert.ok(['restored', 'removed'].includes(removals[0] ?? ''));
      });
    }
  });
}

describe('installHooks()', () => {
  const [claude] = cases.filter(({ agent }) => agent.agent === 'claude');
  assert.ok(claude);

  test('writes through a link, as people keep their settings in a repository, and leaves the link', async () => {
    await using place = await homeWith(claude, null);
    const real = join(place.home, 'dotfiles.json');
    await writeFile(real, '{ "model": "x" }');
    await symlink(real, place.file);

    await place.install();
    assert.match(await readFile(real, 'utf8'), /hookbell-hook/);
    await place.uninstall();

    assert.equal(await readFile(real, 'utf8'), '{ "model": "x" }');
    assert.ok((await lstat(place.file)).isSymbolicLink());
  });

  test('leaves a link to nothing alone', async () => {
    await using place = await homeWith(claude, null);
    await symlink(join(place.home, 'nowhere'), place.file);

    const { state, text } = await place.install();

    assert.equal(state, 'failed');
    assert.match(text, /a link to a missing file$/);
    assert.ok((await lstat(place.file)).isSymbolicLink());
  });

  test('leaves a read-only file alone, says why, and what to add by hand', async () => {
    await using place = await homeWith(claude, '{ "model": "x" }');
    await chmod(place.file, 0o444);

    const { state, text, advice = '' } = await place.install();

    assert.equal(state, 'failed');
    assert.match(text, /it is read-only$/);
    assert.equal(await place.read(), '{ "model": "x" }');
    // What is added by hand is what would have been written.
    await rm(place.file);
    await writeFile(place.file, advice.slice(advice.indexOf('{')));
    assert.equal((await place.install()).state, 'unchanged');
  });

  test('names a file that it cannot write, and goes on', async () => {
    await using place = await homeWith(claude, '{ "model": "x" }');
    await mkdir(`${place.file}.hookbell-backup`);

    const { state, text } = await place.install();

    assert.equal(state, 'failed');
    assert.match(text, /it cannot be written \(E[A-Z]+\)$/);
    assert.equal(await place.read(), '{ "model": "x" }');
  });

  test('reads the file again that another program has written meanwhile, and loses nothing of it', async () => {
    await using place = await homeWith(claude, '{ "model": "x" }');
    const recorder = await createInstallRecorder(place.manifest, false);
    let writes = 0;
    const racing = {
      ...recorder,
      // It is asked for between reading the settings and writing them.
      manifest() {
        writes += 1;
        if (writes <= 2) writeFileSync(place.file, `{ "model": "x", "count": ${writes} }`);
        return recorder.manifest();
      },
    };
    const how = { hook: HOOK, force: true, surroundings: place.surroundings };

    const [step] = await installHooks([claude.agent], how, racing);

    assert.equal(step?.state, 'done');
    assert.match((await place.read()) ?? '', /"count": 2[\s\S]*hookbell-hook/);
    assert.equal(writes, 3);
    assert.deepEqual(await place.uninstall(), ['restored']);
    assert.equal(await place.read(), '{ "model": "x", "count": 2 }');
  });

  test('gives up on a file that is written all the time', async () => {
    await using place = await homeWith(claude, '{}');
    const recorder = await createInstallRecorder(place.manifest, false);
    let writes = 0;
    const racing = {
      ...recorder,
      manifest() {
        writes += 1;
        writeFileSync(place.file, `{ "count": ${writes} }`);
        return recorder.manifest();
      },
    };

    const how = { hook: HOOK, force: true, surroundings: place.surroundings };
    const [step] = await installHooks([claude.agent], how, racing);

    assert.equal(step?.state, 'failed');
    assert.equal(await place.read(), `{ "count": ${writes} }`);
  });

  test('keeps what was changed between two runs that both wrote, whichever made the file', async () => {
    for (const content of ['{ "model": "x" }', null]) {
      await using place = await homeWith(claude, content);
      await place.install();
      const before = (await place.read()) ?? '';
      const edited = before
        .replace(content === null ? '{' : '"x"', content === null ? '{\n  "model": "y",' : '"y"')
        .replace(HOOK, '/old/hooks/hookbell-hook');
      await writeFile(place.file, edited);
      assert.equal((await place.install()).state, 'done');

      await place.uninstall();

      assert.deepEqual(JSON.parse((await place.read()) ?? ''), { model: 'y' });
    }
  });

  test('takes out what an unknown installation wrote', async () => {
    await using place = await homeWith(claude, '{ "model": "x" }');
    await place.install();
    await rm(place.manifest);
    assert.equal((await place.install()).state, 'unchanged');

    assert.deepEqual(await place.uninstall(), ['removed']);

    assert.deepEqual(JSON.parse((await place.read()) ?? ''), { model: 'x' });
  });

  test('writes nothing into a project whose user has registered the hook already', async () => {
    await using place = await homeWith(claude, '{}');
    await place.install();
    const recorder = await createInstallRecorder(place.manifest, false);
    const surroundings = { ...place.surroundings, base: join(place.home, 'work') };

    const [step] = await installHooks(
      [claude.agent],
      { hook: HOOK, force: true, surroundings },
      recorder,
    );

    assert.equal(step?.state, 'skipped');
    assert.equal(step.text, `claude: the hooks in ${place.file} also run in this project`);
  });
});

import assert from 'node:assert/strict';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';

import { hookCommandLine, type RegistrableAgent } from '../../src/setup/hook-places.ts';
import { planHooks, revertHooks } from '../../src/setup/hooks.ts';
import { inspectHooks } from '../../src/setup/inspect-hooks.ts';
import { writtenRecord } from '../support/written-hooks.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const HOOK = '/opt/hookbell/hooks/hookbell-hook';
const agent: RegistrableAgent = {
  agent: 'droid',
  registration: {
    evidence: ['.factory'],
    programs: ['droid'],
    files: [
      { path: '.factory/hooks.json', shape: 'bare' },
      { path: '.factory/settings.json', shape: 'wrapped' },
    ],
    events: [{ name: 'Stop', timeoutSeconds: 5 }],
    afterwards: 'Restart droid',
  },
};

async function home() {
  const directory = await temporaryDirectory();
  const surroundings = { base: directory.path, home: directory.path, searchPath: '' };
  return {
    ...surroundings,
    path: (name: string) => join(directory.path, name),
    async write(name: string, text: string) {
      await mkdir(dirname(join(directory.path, name)), { recursive: true });
      await writeFile(join(directory.path, name), text);
    },
    read: (name: string) => readFile(join(directory.path, name), 'utf8'),
    async register() {
      const plan = await planHooks(agent, HOOK, surroundings);
      return writtenRecord(plan);
    },
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('planHooks()', () => {
  test('leaves an agent alone that is not on the machine, unless forced', async () => {
    await using place = await home();

    assert.equal((await planHooks(agent, HOOK, place)).type, 'absent');
    assert.equal((await planHooks(agent, HOOK, place, { force: true })).type, 'write');
  });

  test('finds an agent by its program on PATH', async () => {
    await using place = await home();
    await place.write('bin/droid', '');
    await chmod(place.path('bin/droid'), 0o755);

    const plan = await planHooks(agent, HOOK, { ...place, searchPath: place.path('bin') });

    assert.equal(plan.type, 'write');
  });

  test('goes into the bare hooks.json where there is one, otherwise into settings.json', async () => {
    await using place = await home();
    await place.write('.factory/settings.json', '{}');
    const settings = await planHooks(agent, HOOK, place);
    await place.write('.factory/hooks.json', '{}');
    const hooks = await planHooks(agent, HOOK, place);

    assert.ok(settings.type === 'write' && settings.path.endsWith('settings.json'));
    assert.ok(hooks.type === 'write' && hooks.path.endsWith('hooks.json'));
    assert.deepEqual(Object.keys(JSON.parse(hooks.after)), ['Stop']);
  });

  test('refuses a file that is not valid JSON, and names it', async () => {
    await using place = await home();
    await place.write('.factory/settings.json', '{ // comment\n');

    const plan = await planHooks(agent, HOOK, place);

    assert.ok(plan.type === 'refused');
    assert.match(plan.reason, /not valid JSON/);
    assert.equal(await place.read('.factory/settings.json'), '{ // comment\n');
  });
});

describe('revertHooks()', () => {
  test('gives back, to the byte, a file that only we changed', async () => {
    const odd = '{"model":   "x",\n\n "hooks": {  }}';
    await using place = await home();
    await place.write('.factory/settings.json', odd);
    const record = await place.register();

    assert.equal(await revertHooks(record), 'restored');

    assert.equal(await place.read('.factory/settings.json'), odd);
    assert.deepEqual(await readdir(place.path('.factory')), ['settings.json']);
  });

  test('removes a file that we made', async () => {
    await using place = await home();
    await mkdir(place.path('.factory'));
    const record = await place.register();

    assert.equal(await revertHooks(record), 'restored');

    assert.deepEqual(await readdir(place.path('.factory')), []);
  });

  test('takes only our entries out of a file that was edited since', async () => {
    await using place = await home();
    await place.write('.factory/settings.json', '{"model": "x"}');
    const record = await place.register();
    const edited = JSON.parse(await place.read('.factory/settings.json'));
    await place.write('.factory/settings.json', JSON.stringify({ ...edited, theme: 'dark' }));

    assert.equal(await revertHooks(record), 'removed');

    const after = JSON.parse(await place.read('.factory/settings.json'));
    assert.deepEqual(after, { model: 'x', theme: 'dark' });
  });

  test('leaves a file alone that has become invalid', async () => {
    await using place = await home();
    await place.write('.factory/settings.json', '{}');
    const record = await place.register();
    await place.write('.factory/settings.json', 'not json');

    assert.equal(await revertHooks(record), 'left');
    assert.equal(await place.read('.factory/settings.json'), 'not json');
  });
});

test('inspectHooks() lists where our hook is registered', async () => {
  await using place = await home();
  await place.write('.factory/settings.json', '{}');
  await place.register();

  const found = await inspectHooks(agent, place);

  assert.equal(found.installed, true);
  assert.equal(found.problem, null);
  const command = hookCommandLine(HOOK, ['--state', join(place.home, '.local/state/hookbell')]);
  assert.deepEqual(found.hooks, [{ event: 'Stop', command, timeout: 5 }]);
});

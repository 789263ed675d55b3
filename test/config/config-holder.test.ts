import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { channelCatalog } from '../../src/channels/registry.ts';
import type { FarFiles } from '../../src/core/far-files.ts';
import { HungPathError } from '../../src/core/far-files.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { ConfigHolder } from '../../src/config/config-holder.ts';
import { createConfigHolder } from '../../src/config/config-holder.ts';
import { nearFiles } from '../../src/daemon/far-files/file-jobs.ts';
import { repeatEvery } from '../../src/platform/time.ts';
import { until } from '../support/hookbell-home.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Scene extends AsyncDisposable {
  readonly path: string;
  readonly directory: string;
  /** Starts another holder on the same files. */
  open(files?: FarFiles): Promise<ConfigHolder>;
  /** Problems of each refusal, "taken" and "mended", in their order. */
  readonly events: string[];
}

async function scene(): Promise<Scene> {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 'config.yaml');
  const events: string[] = [];
  const holders: ConfigHolder[] = [];
  const beats: (() => void)[] = [];
  return {
    path,
    directory: directory.path,
    events,
    async open(files = nearFiles) {
      const holder = await createConfigHolder({
        path,
        env: {},
        lastGood: join(directory.path, 'last.yaml'),
        files,
        catalog: channelCatalog,
        now: () => 5,
        log: silentLog,
        onMended: () => void events.push('mended'),
        onRefused: (problems) => void events.push(problems.join('; ')),
        commandsMs: 20,
      });
      holder.onSecrets(() => void events.push('secrets'));
      holder.onChange(() => void events.push('taken'));
      holders.push(holder);
      // One after the other, as those of the daemon: two at a time would report a change twice.
      beats.push(repeatEvery(() => holder.beat(), 20, assert.ifError));
      return holder;
    },
    async [Symbol.asyncDispose]() {
      for (const end of beats) end();
      for (const holder of holders) holder.stop();
      await directory[Symbol.asyncDispose]();
    },
  };
}

function withChannel(name: string): string {
  return `channels: { ${name}: { type: file, path: /nonexistent/${name} } }
routes: [{ match: {}, notify: [${name}] }]
`;
}

function names(holder: ConfigHolder): readonly string[] {
  return holder
    .current()
    .channels.map(({ name }) => name)
    .filter((name) => name !== 'inbox');
}

test('createConfigHolder() has the secrets read again when a file with a key or certificate changes (A14)', async () => {
  await using stage = await scene();
  const files = ['hook', 'token', 'pinned.pem', 'cert.pem', 'key.pem', 'api-key'];
  for (const name of files) await writeFile(join(stage.directory, name), 'former');
  await writeFile(
    stage.path,
    `channels: { out: { type: webhook, url: { file: hook } } }
api: { base_url: "https://api.example.com", key: { file: api-key } }
relay: { to: "https://home.example.com:7117", token: { file: token }, certificate: pinned.pem }
listen: { port: 7117, certificate: cert.pem, key: key.pem }
`,
  );
  const holder = await stage.open();
  assert.deepEqual(holder.view().problems, []);
  holder.watch(() => false);

  for (const [index, name] of files.entries()) {
    await writeFile(join(stage.directory, `${name}.new`), 'another one');
    await rename(join(stage.directory, `${name}.new`), join(stage.directory, name));
    await until(() => stage.events.length === index + 1);
  }

  assert.deepEqual(new Set(stage.events), new Set(['secrets']));
});

test('createConfigHolder() notices a secret that was replaced before it watches, or right after a reload (A14)', async () => {
  await using stage = await scene();
  const replace = async (name: string): Promise<void> => {
    await writeFile(join(stage.directory, `${name}.new`), 'another one');
    await rename(join(stage.directory, `${name}.new`), join(stage.directory, name));
  };
  for (const name of ['hook', 'token']) await writeFile(join(stage.directory, name), 'former');
  const channel = 'channels: { out: { type: webhook, url: { file: hook } } }\n';
  await writeFile(stage.path, channel);
  const holder = await stage.open();
  await replace('hook');
  holder.watch(() => false);
  await until(() => stage.events.length === 1);

  await writeFile(
    stage.path,
    `${channel}relay: { to: "https://home.example.com:7117", token: { file: token } }\n`,
  );
  await holder.reload();
  await replace('token');
  await until(() => stage.events.filter((event) => event === 'secrets').length === 2);

  assert.ok(stage.events.includes('taken'));
});

test('createConfigHolder() has commands print their secrets again only while one is lacking (A14)', async () => {
  await using stage = await scene();
  await writeFile(
    stage.path,
    'channels: { out: { type: webhook, url: { command: [pass, show, hook] } } }\n',
  );
  const holder = await stage.open();
  let lacksSecret = false;
  holder.watch(() => lacksSecret);
  await holder.reload();
  assert.deepEqual(stage.events, ['taken']);

  lacksSecret = true;
  await until(() => stage.events.includes('secrets'));
  lacksSecret = false;
  const count = stage.events.length;
  await holder.reload();

  assert.equal(stage.events.length, count + 1);
});

describe('createConfigHolder() while the daemon runs', () => {
  const losses: readonly [string, (path: string) => Promise<void>, RegExp][] = [
    ['is empty', (path) => truncate(path, 0), /is empty: the running configuration is kept/],
    ['is missing', (path) => rm(path), /does not exist: the running configuration is kept/],
    ['is a blank line', (path) => writeFile(path, '\n'), /is empty/],
  ];
  for (const [what, lose, problem] of losses) {
    test(`keeps the configuration in force while the file ${what}, and says so until it is back (A3)`, async () => {
      await using stage = await scene();
      await writeFile(stage.path, withChannel('first'));
      const holder = await stage.open();
      holder.watch(() => false);

      await lose(stage.path);
      await until(() => stage.events.length > 0);

      assert.deepEqual(names(holder), ['first']);
      assert.match(stage.events[0] ?? '', problem);
      assert.equal(holder.view().ok, false);
      assert.equal((await holder.reload()).ok, false);
      assert.deepEqual(names(holder), ['first']);

      await writeFile(stage.path, withChannel('first'));
      await until(() => stage.events.at(-1) === 'mended');
      assert.deepEqual([holder.view().ok, holder.view().problems], [true, []]);
      assert.deepEqual(names(holder), ['first']);
    });
  }

  test('has no change between two of its own looks: a file restored right after it was seen empty (A3)', async () => {
    await using stage = await scene();
    await writeFile(stage.path, withChannel('first'));
    const holder = await stage.open({
      async run(name, asked) {
        const answer = await nearFiles.run(name, asked);
        if (JSON.stringify(answer).includes('"text":""')) {
          await writeFile(stage.path, withChannel('first'));
        }
        return answer;
      },
    });
    holder.watch(() => false);

    await truncate(stage.path, 0);
    await until(() => stage.events.at(-1) === 'mended');

    assert.match(stage.events[0] ?? '', /is empty/);
    assert.equal(stage.events.length, 2);
    assert.equal(holder.view().ok, true);
  });

  test('takes a file that appears where there was none, and the defaults from comments alone', async () => {
    await using stage = await scene();
    const holder = await stage.open();
    holder.watch(() => false);
    assert.equal(holder.view().ok, true);

    await writeFile(stage.path, withChannel('first'));
    await until(() => stage.events.at(-1) === 'taken');
    assert.deepEqual(names(holder), ['first']);

    await writeFile(stage.path, '# the defaults\n');
    await until(() => !names(holder).includes('first'));
  });

  test('sees the file behind a link into another folder change, be replaced, and the link turned (A11)', async () => {
    await using stage = await scene();
    const dotfiles = join(stage.directory, 'dotfiles');
    await mkdir(dotfiles);
    const real = join(dotfiles, 'hookbell.yaml');
    await writeFile(real, withChannel('first'));
    await symlink(real, stage.path);
    const holder = await stage.open();
    holder.watch(() => false);
    assert.deepEqual(names(holder), ['first']);

    await writeFile(real, withChannel('second'));
    await until(() => names(holder)[0] === 'second');
    await writeFile(`${real}.new`, withChannel('third'));
    await rename(`${real}.new`, real);
    await until(() => names(holder)[0] === 'third');
    await writeFile(join(dotfiles, 'other.yaml'), withChannel('fourth'));
    await symlink(join(dotfiles, 'other.yaml'), `${stage.path}.new`);
    await rename(`${stage.path}.new`, stage.path);
    await until(() => names(holder)[0] === 'fourth');
  });

  test('keeps the configuration in force while its file system hangs (A2)', async () => {
    await using stage = await scene();
    await writeFile(stage.path, withChannel('first'));
    let hangs = false;
    const holder = await stage.open({
      run: (name, asked) =>
        hangs
          ? Promise.reject(new HungPathError(asked.path, { place: '/mnt', isUntouched: true }))
          : nearFiles.run(name, asked),
    });

    hangs = true;
    const view = await holder.reload();

    assert.deepEqual(names(holder), ['first']);
    assert.match(view.problems.join(), /cannot be read: its file system does not answer/);
  });
});

describe('createConfigHolder() at a start', () => {
  for (const [what, text] of [
    ['empty', ''],
    ['invalid', 'channels: ['],
  ] as const) {
    test(`takes the last good configuration where the file is ${what}, and says so (A3)`, async () => {
      await using stage = await scene();
      await writeFile(stage.path, withChannel('first'));
      (await stage.open()).stop();
      await writeFile(stage.path, text);

      const holder = await stage.open();

      assert.deepEqual(names(holder), ['first']);
      assert.equal(holder.view().ok, false);
      assert.match(stage.events[0] ?? '', /the last accepted configuration is in force$/);
      holder.watch(() => false);
      await writeFile(stage.path, withChannel('second'));
      await until(() => names(holder)[0] === 'second');
    });
  }

  test('takes the defaults where the file is empty and none was ever taken, and where there is none', async () => {
    await using stage = await scene();
    await writeFile(stage.path, '');
    const without = await stage.open();
    assert.match(stage.events.join(), /is empty; the defaults are in force/);
    assert.equal(without.view().ok, false);

    await writeFile(stage.path, withChannel('first'));
    await stage.open();
    await rm(stage.path);
    const missing = await stage.open();
    assert.deepEqual([missing.view().ok, names(missing)], [true, names(without)]);
  });

  test('keeps its copy to this user', async () => {
    await using stage = await scene();
    await writeFile(stage.path, withChannel('first'), { mode: 0o644 });
    await stage.open();

    const copy = join(stage.directory, 'last.yaml');
    assert.equal(await readFile(copy, 'utf8'), withChannel('first'));
    assert.equal((await stat(copy)).mode & 0o777, 0o600);
  });
});

test('edit() writes only a valid text, through a link, and nothing over what was changed meanwhile', async () => {
  await using stage = await scene();
  const target = join(stage.directory, 'dotfiles.yaml');
  await writeFile(target, withChannel('one'), { mode: 0o640 });
  await symlink(target, stage.path);
  let isBusy = false;
  const holder = await stage.open({
    async run(name, asked) {
      if (name === 'replaceConfiguration' && isBusy) await writeFile(target, '# mine\n');
      return nearFiles.run(name, asked);
    },
  });

  await holder.edit((text) => `${text}# two\n`);
  const edited = await readFile(target, 'utf8');
  await assert.rejects(
    holder.edit((text) => `${text}unknown: 1\n`),
    /Cannot change the configuration:\n.+ unknown: is unknown here/,
  );
  const refused = await readFile(target, 'utf8');
  isBusy = true;
  await assert.rejects(
    holder.edit((text) => `${text}# three\n`),
    /it was changed in the meantime/,
  );

  assert.equal(edited, `${withChannel('one')}# two\n`);
  assert.equal(refused, edited);
  assert.equal((await stat(target)).mode & 0o777, 0o640);
  assert.equal(await readFile(target, 'utf8'), '# mine\n');
});

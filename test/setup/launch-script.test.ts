import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { identityOf } from '../../hooks/pid-file.ts';
import {
  launchScript,
  launchState,
  readLaunchRecord,
  writeLaunchScript,
} from '../../src/setup/launch-script.ts';
import type { LaunchOptions } from '../../src/setup/launch-script.ts';
import { hookVariants, runHook, shellVariants } from '../hooks/run-hook.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const nasty = `it's a "dir" $HOME \`id\` \\ *\n-`;

/**
 * Fills a directory with stand-ins: a Node that appends its arguments and surroundings to `starts`, a line each, then
 * ENDED, and lives as long as there is a file `alive`; and a `sleep` that lasts as long as there is a file `asleep`.
 */
function standIns(directory: string): LaunchOptions {
  const node = join(directory, 'node');
  writeFileSync(
    node,
    `#!/bin/sh
cd "$(dirname "$0")"; printf '%s\\n' "$@" "$CONFIG" "$OLDPWD" ENDED >>starts
while [ -e alive ]; do /bin/sleep 0.01; done\n`,
    { mode: 0o700 },
  );
  writeFileSync(
    join(directory, 'sleep'),
    '#!/bin/sh\necho "$@" >>slept\nwhile [ -e asleep ]; do /bin/sleep 0.01; done\n',
    { mode: 0o700 },
  );
  return {
    node,
    main: '/program/main.js',
    stateDirectory: directory,
    home: directory,
    environment: { CONFIG: 'c', PATH: `${directory}:${process.env['PATH']}` },
  };
}

function startsIn(directory: string): number {
  const path = join(directory, 'starts');
  return existsSync(path) ? (readFileSync(path, 'utf8').match(/^ENDED$/gm) ?? []).length : 0;
}

for (const { name, command, skip } of shellVariants) {
  const [shell = '', ...words] = command.slice(0, -1);

  async function launch(directory: string): Promise<void> {
    const child = spawn(shell, [...words, join(directory, 'launch'), 'start'], {
      env: {},
      stdio: 'ignore',
    });
    await once(child, 'exit');
  }

  describe(`the launch script under ${name}`, { skip, timeout: 20_000 }, () => {
    test('hands every character of paths and variables over (T4)', async () => {
      await using directory = await temporaryDirectory();
      const state = join(directory.path, nasty);
      mkdirSync(state);
      writeLaunchScript({
        ...standIns(state),
        main: `/program ${nasty}/main.js`,
        args: ['daemon', nasty],
        environment: { CONFIG: nasty, PATH: process.env['PATH'] ?? '' },
      });

      await launch(state);

      await until(() => startsIn(state) === 1);
      assert.equal(
        readFileSync(join(state, 'starts'), 'utf8'),
        `/program ${nasty}/main.js\ndaemon\n${nasty}\n${nasty}\n${state}\nENDED\n`,
      );
    });

    test('starts one daemon in two seconds, however many hooks ask (faults 10, 11)', async () => {
      await using directory = await temporaryDirectory();
      writeLaunchScript(standIns(directory.path));
      const alive = join(directory.path, 'alive');
      writeFileSync(alive, '');
      const asleep = join(directory.path, 'asleep');
      writeFileSync(asleep, '');

      let ended = 0;
      const hooks = Array.from({ length: 50 }, () =>
        launch(directory.path).then(() => (ended += 1)),
      );
      await until(() => ended === 49 && startsIn(directory.path) === 1);
      rmSync(asleep);
      await Promise.all(hooks);
      assert.equal(startsIn(directory.path), 1);

      rmSync(alive);
      await launch(directory.path);
      await until(() => startsIn(directory.path) === 2);
      assert.equal(readFileSync(join(directory.path, 'slept'), 'utf8'), '2\n2\n');
    });

    test('starts another one after two seconds when the first is dead and a hook came meanwhile (fault 11)', async () => {
      await using directory = await temporaryDirectory();
      writeLaunchScript(standIns(directory.path));
      const asleep = join(directory.path, 'asleep');
      writeFileSync(asleep, '');

      const first = launch(directory.path);
      await until(() => startsIn(directory.path) === 1);
      await launch(directory.path);
      assert.equal(startsIn(directory.path), 1);
      rmSync(asleep);
      await first;

      await until(() => startsIn(directory.path) === 2);
      assert.equal(readFileSync(join(directory.path, 'slept'), 'utf8'), '2\n2\n');
    });

    const claims: Readonly<Record<string, (path: string) => void>> = {
      'a process that is gone': (path) => symlinkSync(`4194305.${identityOf(1).boot}`, path),
      'a process of another boot': (path) => symlinkSync(`${process.pid}.another`, path),
      'no process': (path) => writeFileSync(path, ''),
    };
    for (const [owner, plant] of Object.entries(claims)) {
      test(`does not stop at the claim of ${owner}`, async () => {
        await using directory = await temporaryDirectory();
        writeLaunchScript(standIns(directory.path));
        const claim = join(directory.path, 'launching');
        plant(claim);

        await launch(directory.path);

        await until(() => startsIn(directory.path) === 1);
        assert.equal(existsSync(claim), false);
      });
    }

    test('finds another Node when its own was removed', async () => {
      await using directory = await temporaryDirectory();
      const gone = join(directory.path, 'v20', 'node');
      writeLaunchScript({ ...standIns(directory.path), node: gone });

      await launch(directory.path);

      await until(() => startsIn(directory.path) === 1);
    });
  });
}

test('launchScript() is clean for shellcheck', { skip: needs('shellcheck') }, () => {
  const script = launchScript({
    node: '/usr/bin/node',
    main: "/it's/main.js",
    stateDirectory: '/state dir',
    home: '/home/dev',
    environment: { HOOKBELL_CONFIG: '/config' },
  });

  const { stdout, status } = spawnSync('shellcheck', ['-'], { input: script, encoding: 'utf8' });

  assert.deepEqual({ stdout, status }, { stdout: '', status: 0 });
});

test('launchScript() refuses a variable name that is none', () => {
  const options = { node: '/n', main: '/m', stateDirectory: '/s', home: '/h' };

  assert.throws(() => launchScript({ ...options, environment: { 'A;id': '' } }), RangeError);
});

test('launchState() distinguishes a whole script from one that a power cut left empty or short (A6)', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  const options = standIns(directory.path);

  assert.equal(launchState(launch), 'missing');
  writeLaunchScript(options);
  assert.equal(launchState(launch), 'ok');
  assert.equal(launchState(`${launch}.spare`), 'ok');
  const text = readFileSync(launch, 'utf8');
  for (const left of ['', text.slice(0, 900), text.slice(0, -1)]) {
    writeFileSync(launch, left);
    assert.equal(launchState(launch), 'truncated');
  }
  writeFileSync(launch, '#!/bin/sh\nexport HOOKBELL_CONFIG=x\nrm -f launching\n');
  assert.equal(launchState(launch), 'outdated');
  writeLaunchScript({ ...options, environment: null });
  assert.equal(launchState(launch), 'unrecorded');
});

test('readLaunchRecord() gives back what was recorded, and nothing of a file that is cut off or old', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  const options = standIns(directory.path);

  writeLaunchScript(options);
  const recorded = readLaunchRecord(launch);
  writeLaunchScript({ ...options, environment: null });
  const unrecorded = readLaunchRecord(launch);
  writeFileSync(`${launch}.json`, '{"command":"/n","args":[],"environment":{"A":"b"}}');
  const old = readLaunchRecord(launch);
  writeFileSync(`${launch}.json`, '');

  assert.deepEqual(recorded?.environment, options.environment);
  assert.equal(unrecorded?.environment, null);
  assert.equal(old, null);
  assert.equal(readLaunchRecord(launch), null);
});

test(
  'writeLaunchScript() has everything on the disk before a name shows it (A6)',
  { skip: needs('strace') },
  async () => {
    await using directory = await temporaryDirectory();
    const trace = join(directory.path, 'trace');
    const options = { ...standIns(directory.path), stateDirectory: directory.path };
    const module = new URL('../../src/setup/launch-script.js', import.meta.url).href;
    const script = `import { writeLaunchScript } from ${JSON.stringify(module)}; writeLaunchScript(${JSON.stringify(options)});`;

    const strace = ['-f', '-qq', '-y', '-o', trace, '-e', 'trace=fsync,rename,renameat2'];
    const words = [...strace, process.execPath, '--input-type=module', '-e', script];
    const { status } = spawnSync('strace', words, { encoding: 'utf8' });

    assert.equal(status, 0);
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => /(fsync|rename)\w*\(/.exec(line)?.[1] ?? []);
    assert.deepEqual(
      calls,
      [1, 2, 3].flatMap(() => ['fsync', 'rename', 'fsync']),
    );
  },
);

test('writeLaunchScript() leaves alone what is there already', async () => {
  await using directory = await temporaryDirectory();
  const launch = join(directory.path, 'launch');
  writeLaunchScript(standIns(directory.path));
  const { ino } = statSync(launch);

  writeLaunchScript(standIns(directory.path));

  assert.equal(statSync(launch).ino, ino);
});

test('writeLaunchScript() writes for the owner alone', async () => {
  await using directory = await temporaryDirectory();

  writeLaunchScript(standIns(directory.path));

  assert.equal(statSync(join(directory.path, 'launch')).mode & 0o777, 0o700);
  assert.equal(statSync(join(directory.path, 'launch.json')).mode & 0o777, 0o600);
});

for (const variant of hookVariants) {
  test(
    `${variant.name}: a hook starts the real Node by what writeLaunchScript() wrote`,
    {
      skip: variant.skip,
    },
    async () => {
      await using directory = await temporaryDirectory();
      const main = join(directory.path, 'main.mjs');
      writeFileSync(
        main,
        `import { writeFileSync } from 'node:fs'; writeFileSync('started', process.argv[2] + process.env.CONFIG);`,
      );
      writeLaunchScript({
        node: process.execPath,
        main,
        stateDirectory: directory.path,
        home: directory.path,
        args: ['daemon'],
        environment: { CONFIG: 'c' },
      });

      await runHook(variant, '{}', { args: ['--state', directory.path] });

      const started = join(directory.path, 'started');
      await until(() => readFileSync(started, 'utf8') === 'daemonc');
    },
  );
}

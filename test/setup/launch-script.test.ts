import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { identityOf } from '../../hooks/pid-file.ts';
import { writeLaunchScript } from '../../src/setup/launch-script.ts';
import { launchScript } from '../../src/setup/launch-text.ts';
import { serviceManager } from '../../src/setup/service.ts';
import { hookVariants, runHook, shellVariants } from '../hooks/run-hook.ts';
import { launchStandIns } from '../support/launch-stand-ins.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';

const macFacts = {
  platform: 'darwin',
  user: 'dev',
  uid: 501,
  configHome: '/c',
  spool: '/s',
  node: '/n',
  main: '/m',
  state: '/state',
  lastWords: '/state/last-words',
  config: '/config.yaml',
  wake: false,
} as const;

const nasty = `it's a "dir" $HOME \`id\` \\ *\n-`;

/** A program that notes that it was asked, and ends with `code`. */
function answering(what: string, code: number): readonly string[] {
  return ['/bin/sh', '-c', `echo ${what} >>asked; exit ${code}`];
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

  describe(`the launch script under ${name}`, { skip, timeout: 120_000 }, () => {
    test('hands every character of paths and variables over (T4)', async () => {
      await using directory = await temporaryDirectory();
      const state = join(directory.path, nasty);
      mkdirSync(state);
      writeLaunchScript({
        ...launchStandIns(state),
        main: `/program ${nasty}/main.js`,
        args: ['daemon', nasty],
        environment: { CONFIG: nasty, PATH: process.env['PATH'] ?? '' },
      });

      await launch(state);

      await until(() => startsIn(state) === 1);
      assert.equal(
        readFileSync(join(state, 'starts'), 'utf8'),
        `/program ${nasty}/main.js\ndaemon\n${nasty}\n--by-hook\n${nasty}\n${state}\nENDED\n`,
      );
    });

    test('starts one daemon in two seconds, however many hooks ask (faults 10, 11)', async () => {
      await using directory = await temporaryDirectory();
      writeLaunchScript(launchStandIns(directory.path));
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
      writeLaunchScript(launchStandIns(directory.path));
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
        writeLaunchScript(launchStandIns(directory.path));
        const claim = join(directory.path, 'launching');
        plant(claim);

        await launch(directory.path);

        await until(() => startsIn(directory.path) === 1);
        assert.equal(existsSync(claim), false);
      });
    }

    test('starts none while "hookbell stop" holds (G27)', async () => {
      await using directory = await temporaryDirectory();
      writeLaunchScript(launchStandIns(directory.path));
      writeFileSync(join(directory.path, 'stopped'), '- start 1 ada\n');

      await launch(directory.path);

      assert.equal(startsIn(directory.path), 0);
      assert.equal(existsSync(join(directory.path, 'slept')), false);
    });

    for (const [desktop, way] of [
      ['notify-send', 'on the desktop'],
      ['osascript', 'on a Mac'],
      ['none', 'by the bell of the next hook'],
    ] as const) {
      test(`keeps the last words of one that cannot start, and tells a person once ${way} (G23)`, async () => {
        await using directory = await temporaryDirectory();
        const { path } = directory;
        const options = launchStandIns(path);
        // The two seconds last until it is gone.
        writeFileSync(
          options.node,
          `#!/bin/sh
cd "$(dirname "$0")"; echo "hookbell: Cannot load <SQLite>" >&2
(while kill -0 $$; do /bin/sleep 0.01; done; rm asleep) >/dev/null 2>&1 &
exit 1\n`,
        );
        writeFileSync(join(path, desktop), '#!/bin/sh\necho "$@" >>"$(dirname "$0")/shown"\n', {
          mode: 0o700,
        });
        const bus = desktop === 'notify-send' ? { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus' } : {};
        writeLaunchScript({ ...options, environment: { ...options.environment, ...bus } });

        for (const _ of [1, 2]) {
          writeFileSync(join(path, 'asleep'), '');
          await launch(path);
        }

        assert.equal(
          readFileSync(join(path, 'last-words'), 'utf8'),
          'hookbell: Cannot load <SQLite>\n',
        );
        const shown = existsSync(join(path, 'shown'))
          ? readFileSync(join(path, 'shown'), 'utf8')
          : '';
        const text =
          'Your agents cannot reach you until it does. Run hookbell doctor. hookbell: Cannot load SQLite\n';
        const expected = {
          'notify-send': `-u critical hookbell cannot start ${text}`,
          osascript: `-e on run argv -e display notification (item 1 of argv) with title "hookbell cannot start" -e end run -- ${text}`,
          none: '',
        };
        assert.equal(shown, expected[desktop]);
        assert.equal(existsSync(join(path, 'bell')), desktop === 'none');
      });
    }

    for (const [state, answers, starts, asked] of [
      ['has accepted the start', { known: 0, start: 0, gaveUp: 1 }, 0, 'known start'],
      ['does not know the service', { known: 1, start: 0, gaveUp: 1 }, 1, 'known'],
      ['ends with the session', { known: 0, start: 1, gaveUp: 1 }, 1, 'known start gaveUp'],
      ['has given up for a minute', { known: 0, start: 1, gaveUp: 0 }, 0, 'known start gaveUp'],
    ] as const) {
      test(`asks the service manager, and starts ${starts === 0 ? 'none' : 'one'} by itself where it ${state} (G26)`, async () => {
        await using directory = await temporaryDirectory();
        const options = launchStandIns(directory.path);
        const manager = {
          known: answering('known', answers.known),
          start: [answering('start', answers.start)],
          gaveUp: answering('gaveUp', answers.gaveUp),
        };
        writeLaunchScript({ ...options, manager });

        await launch(directory.path);

        await until(() => startsIn(directory.path) === starts);
        const all = readFileSync(join(directory.path, 'asked'), 'utf8').trim();
        assert.equal(all.replaceAll('\n', ' '), asked);
      });
    }

    test('asks the service manager again when a hook came within the two seconds, unless "hookbell stop" holds (G26)', async () => {
      await using directory = await temporaryDirectory();
      const { path } = directory;
      const manager = {
        known: answering('known', 0),
        start: [answering('start', 0)],
        gaveUp: answering('gaveUp', 1),
      };
      writeLaunchScript({ ...launchStandIns(path), manager });
      const asked = (): readonly string[] =>
        readFileSync(join(path, 'asked'), 'utf8').trimEnd().split('\n');

      for (const stopped of [false, true]) {
        writeFileSync(join(path, 'asked'), '');
        writeFileSync(join(path, 'asleep'), '');
        const first = launch(path);
        await until(() => asked().length === 2);
        await launch(path);
        if (stopped) writeFileSync(join(path, 'stopped'), '- start 1 ada\n');
        rmSync(join(path, 'asleep'));
        await first;

        const start = ['known', 'start'];
        assert.deepEqual(asked(), stopped ? start : [...start, ...start]);
      }
    });

    test('asks launchd, whose agent "stop" unloads for as long as the session lasts (G26)', async () => {
      await using directory = await temporaryDirectory();
      const { path } = directory;
      const options = launchStandIns(path);
      const service = serviceManager({ ...macFacts, home: path });
      assert.ok(service);
      // launchctl(1): an agent is bootstrapped once, and only a loaded one can be kickstarted.
      writeFileSync(
        join(path, 'launchctl'),
        `#!/bin/sh
cd "$(dirname "$0")"; echo "$@" >>asked
case $1 in
  bootstrap) [ ! -e loaded ] && : >loaded ;;
  bootout) rm loaded ;;
  kickstart) [ -e loaded ] || exit 113 ;;
esac
`,
        { mode: 0o700 },
      );
      const env = { PATH: `${path}:${process.env['PATH']}` };
      writeLaunchScript({ ...options, manager: service.start });

      await launch(path);
      for (const [program = '', ...rest] of service.stop) spawnSync(program, rest, { env });
      await launch(path);
      await launch(path);

      const plist = `${path}/Library/LaunchAgents/dev.hookbell.daemon.plist`;
      const start = [
        'print gui/501',
        `bootstrap gui/501 ${plist}`,
        'kickstart gui/501/dev.hookbell.daemon',
      ];
      assert.deepEqual(readFileSync(join(path, 'asked'), 'utf8').trimEnd().split('\n'), [
        ...start,
        'bootout gui/501/dev.hookbell.daemon',
        ...start,
        ...start,
      ]);
      assert.equal(startsIn(path), 0);
    });

    test('finds another Node when its own was removed', async () => {
      await using directory = await temporaryDirectory();
      const gone = join(directory.path, 'v20', 'node');
      writeLaunchScript({ ...launchStandIns(directory.path), node: gone });

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
    manager: { known: ['a'], start: [['b', "it's"], ['c']], gaveUp: ['d'] },
  });

  const { stdout, status } = spawnSync('shellcheck', ['-'], { input: script, encoding: 'utf8' });

  assert.deepEqual({ stdout, status }, { stdout: '', status: 0 });
});

test('launchScript() refuses a variable name that is none', () => {
  const options = { node: '/n', main: '/m', stateDirectory: '/s', home: '/h', manager: null };

  assert.throws(() => launchScript({ ...options, environment: { 'A;id': '' } }), RangeError);
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
        manager: null,
      });

      await runHook(variant, '{}', { args: ['--state', directory.path] });

      const started = join(directory.path, 'started');
      await until(() => readFileSync(started, 'utf8') === 'daemonc');
    },
  );
}

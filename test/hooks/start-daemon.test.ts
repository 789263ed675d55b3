import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';

import { identityOf } from '../../hooks/pid-file.ts';
import { inPrivateMounts, needsPrivateMounts } from '../support/private-mounts.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { until } from '../support/until.ts';
import { startZombie } from '../support/zombie.ts';
import {
  hangsNoLonger,
  hookVariants,
  inherited,
  nodeVariant,
  noticeable,
  runHook,
  shellVariants,
  unnoticed,
} from './run-hook.ts';
import type { HookOptions, HookRun, HookVariant } from './run-hook.ts';

const onLinux = process.platform === 'linux' ? false : 'needs /proc';

/** A stand-in for the daemon: notes its session and how many envelopes were whole when it started. */
const standIn = `#!/bin/sh
HOOKBELL_STATE_DIR=\${0%/*}
set -- $(cat /proc/$$/stat)
echo "session=$([ "$6" = $$ ] && echo own) whole=$(grep -l hookbell-end "$HOOKBELL_STATE_DIR"/spool/* | wc -l)" >>"$HOOKBELL_STATE_DIR/starts"
[ ! -p "$HOOKBELL_STATE_DIR/gate" ] || cat "$HOOKBELL_STATE_DIR/gate"
echo ended >>"$HOOKBELL_STATE_DIR/starts"
rm -f launching
`;

/** Makes the stand-in what a hook would start. */
function install(state: string): void {
  writeFileSync(join(state, 'launch'), standIn, { mode: 0o700 });
  const launch = { command: join(state, 'launch'), args: [], environment: {}, manager: null };
  writeFileSync(join(state, 'launch.json'), JSON.stringify(launch));
}

function startsIn(state: string): readonly string[] {
  const path = join(state, 'starts');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

/**
 * Runs the hook and returns whether it started the stand-in. All that it starts inherits descriptor 3, a pipe, so the end
 * of that pipe proves that nothing more can come. Node closes it for its children, but leaves a stamp before it starts one.
 */
async function startsDaemon(
  variant: HookVariant,
  state: string,
  { wrapper = [] }: Pick<HookOptions, 'wrapper'> = {},
): Promise<boolean> {
  const [program = '', ...words] = [...wrapper, ...variant.command];
  const child = spawn(program, [...words, '--state', state], {
    env: inherited,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    ...hangsNoLonger,
  });
  const holders = child.stdio[3];
  if (!(holders instanceof Readable)) throw new Error('There is no pipe');
  const ended = once(holders, 'close');
  holders.resume();
  await once(child, 'exit');
  await ended;
  if (existsSync(join(state, 'launching.stamp'))) await until(() => startsIn(state).length === 2);
  return startsIn(state).length > 0;
}

const here = onLinux === false ? identityOf(process.pid) : { pid: 0, boot: '', start: '' };
const daemons: Readonly<Record<string, { line: string; starts: boolean }>> = {
  'this very process': { line: `${here.pid} ${here.boot} ${here.start}\n`, starts: false },
  'another boot': {
    line: `${here.pid} 00000000-0000-4000-8000-000000000000 ${here.start}\n`,
    starts: true,
  },
  'another start': { line: `${here.pid} ${here.boot} 1\n`, starts: true },
  'a process that is gone': { line: `4194305 ${here.boot} 1\n`, starts: true },
  'no number': { line: `../self ${here.boot} ${here.start}\n`, starts: true },
  'process group 0': { line: `0 ${here.boot} ${here.start}\n`, starts: true },
  nothing: { line: '', starts: true },
};

for (const variant of hookVariants) {
  const skip = variant.skip || onLinux;
  describe(`the daemon and the hook under ${variant.name}`, { skip, timeout: 120_000 }, () => {
    test('is started, in a separate session, when the envelope is whole (acceptance 021)', async () => {
      await using state = await temporaryDirectory();
      install(state.path);

      const run = await runHook(variant, '{}', { args: ['--state', state.path] });

      assert.deepEqual(noticeable(run), unnoticed);
      await until(() => startsIn(state.path).length === 2);
      assert.deepEqual(startsIn(state.path), ['session=own whole=1', 'ended']);
    });

    test('is not waited for', { skip: needs('mkfifo') }, async () => {
      await using state = await temporaryDirectory();
      install(state.path);
      const gate = join(state.path, 'gate');
      spawnSync('mkfifo', [gate]);

      const run: HookRun = await runHook(variant, '{}', {
        args: ['--state', state.path],
      });

      assert.deepEqual(noticeable(run), unnoticed);
      await until(() => startsIn(state.path).length === 1);
      writeFileSync(gate, 'open');
      await until(() => startsIn(state.path).length === 2);
    });

    for (const [name, { line, starts }] of Object.entries(daemons)) {
      test(`is ${starts ? 'started' : 'left alone'} when daemon.pid names ${name} (fault 10)`, async () => {
        await using state = await temporaryDirectory();
        install(state.path);
        writeFileSync(join(state.path, 'daemon.pid'), line);

        assert.equal(await startsDaemon(variant, state.path), starts);
      });
    }

    for (const [order, line, starts] of [
      ['without an end', '- start 1 ada\n', false],
      ['with a time to come', `${Math.floor(Date.now() / 1_000) + 600} start 1 ada\n`, false],
      ['whose time is over', `${Math.floor(Date.now() / 1_000) - 1} start 1 ada\n`, true],
      ['that a power cut left empty', '', true],
    ] as const) {
      test(`is ${starts ? 'started' : 'left alone'} after a stop ${order} (G27)`, async () => {
        await using state = await temporaryDirectory();
        install(state.path);
        writeFileSync(join(state.path, 'stopped'), line);

        assert.equal(await startsDaemon(variant, state.path), starts);
      });
    }

    test('is started when daemon.pid names a zombie', async () => {
      await using state = await temporaryDirectory();
      install(state.path);
      await using zombie = await startZombie();
      const { pid, boot, start } = identityOf(zombie.pid);
      writeFileSync(join(state.path, 'daemon.pid'), `${pid} ${boot} ${start}\n`);

      assert.equal(await startsDaemon(variant, state.path), true);
    });

    test('is started when daemon.pid is a FIFO (fault 51)', { skip: needs('mkfifo') }, async () => {
      await using state = await temporaryDirectory();
      install(state.path);
      spawnSync('mkfifo', [join(state.path, 'daemon.pid')]);

      assert.equal(await startsDaemon(variant, state.path), true);
    });

    test('is started although the spool takes nothing', async () => {
      await using state = await temporaryDirectory();
      install(state.path);
      writeFileSync(join(state.path, 'spool'), '');

      assert.equal(await startsDaemon(variant, state.path), true);
    });

    test(
      'is not started by a file of another user (T2)',
      {
        skip: process.geteuid?.() === 0 ? false : 'needs root',
      },
      async () => {
        await using state = await temporaryDirectory();
        install(state.path);
        for (const name of ['launch', 'launch.json'])
          chownSync(join(state.path, name), 65534, 65534);

        assert.equal(await startsDaemon(variant, state.path), false);
      },
    );

    const variables: Readonly<Record<string, (path: string) => Record<string, string>>> = {
      HOOKBELL_STATE_DIR: (path) => ({ HOOKBELL_STATE_DIR: `${path}/hookbell` }),
      'a directory of the project': () => ({ HOOKBELL_STATE_DIR: '/proc/self/cwd/hookbell' }),
      XDG_STATE_HOME: (path) => ({ XDG_STATE_HOME: path }),
      HOME: (path) => ({ HOME: path }),
    };
    for (const [name, environmentIn] of Object.entries(variables)) {
      test(`is not started where only a variable says so: ${name} (D1)`, async () => {
        await using directory = await temporaryDirectory();
        const { path } = directory;
        const state = join(path, name === 'HOME' ? '.local/state/hookbell' : 'hookbell');
        mkdirSync(join(state, 'spool'), { recursive: true, mode: 0o700 });
        install(state);

        const run = await runHook(variant, '{}', { env: environmentIn(path), cwd: path });

        assert.deepEqual(noticeable(run), unnoticed);
        assert.equal(readdirSync(join(state, 'spool')).length, 1);
        assert.deepEqual(startsIn(state), []);
        assert.equal(existsSync(join(state, 'launching.stamp')), false);
      });
    }

    test('is not looked for when it was never installed', async () => {
      await using state = await temporaryDirectory();

      assert.equal(await startsDaemon(variant, state.path), false);
    });
  });
}

for (const variant of shellVariants) {
  const skip = variant.skip || onLinux;
  describe(
    `the daemon and the hook under ${variant.name}, elsewhere`,
    { skip, timeout: 120_000 },
    () => {
      test('is known by the directory it works in, without a look at its start', async () => {
        await using state = await temporaryDirectory();
        install(state.path);
        const daemon = spawn('sleep', ['60'], { cwd: state.path });
        writeFileSync(join(state.path, 'daemon.pid'), `${daemon.pid} unread unread\n`);

        const started = await startsDaemon(variant, state.path);
        daemon.kill('SIGKILL');
        await once(daemon, 'close');

        assert.equal(started, false);
      });

      test(
        'that could not start rings the bell of the terminal, once (G23)',
        { skip: needs('script') },
        async () => {
          await using state = await temporaryDirectory();
          writeFileSync(join(state.path, 'bell'), '');
          const hook = [...variant.command, '--state', state.path].join(' ');
          const words = ['--quiet', '--flush', '--command', `${hook} </dev/null; exec sleep 60`];
          const terminal = spawn('script', [...words, '/dev/null'], {
            env: { ...inherited, SHELL: '/bin/sh' },
            stdio: ['ignore', 'pipe', 'ignore'],
          });
          terminal.stdout.setEncoding('utf8');

          const [shown] = await once(terminal.stdout, 'data');
          terminal.kill('SIGKILL');

          assert.equal(shown, '\x07');
          assert.equal(existsSync(join(state.path, 'bell')), false);
        },
      );

      for (const [name, text] of [
        ['empty', ''],
        ['truncated', '#!/bin/sh\necho started >>"${0%/*}/starts"\n'],
      ] as const) {
        test(`is started by the spare of a \`launch\` that is ${name}, as after a power cut (A6)`, async () => {
          await using state = await temporaryDirectory();
          install(state.path);
          renameSync(join(state.path, 'launch'), join(state.path, 'launch.spare'));
          writeFileSync(join(state.path, 'launch'), text, { mode: 0o700 });

          assert.equal(await startsDaemon(variant, state.path), true);
          assert.equal(startsIn(state.path).at(-1), 'ended');
        });
      }

      test('is not started when `launch` may not be run', async () => {
        await using state = await temporaryDirectory();
        install(state.path);
        chmodSync(join(state.path, 'launch'), 0o600);

        assert.equal(await startsDaemon(variant, state.path), false);
      });

      for (const [what, pid, reads, starts] of [
        ['no process', 4194305, false, true],
        ['a process that reads events', process.pid, true, false],
        ['another process, which reads none (G24)', process.pid, false, true],
      ] as const) {
        test(
          `is ${starts ? 'started' : 'left alone'} without /proc where its number is that of ${what}`,
          { skip: needsPrivateMounts() },
          async () => {
            await using state = await temporaryDirectory();
            install(state.path);
            writeFileSync(join(state.path, 'daemon.pid'), `${pid} - -\n`);
            const spool = join(state.path, 'spool');
            const wrapper = inPrivateMounts('mount -t tmpfs tmpfs /proc; exec "$@"');
            const reader = setInterval(() => {
              if (!reads || !existsSync(spool)) return;
              for (const name of readdirSync(spool)) rmSync(join(spool, name), { force: true });
            }, 10);

            const isStarted = await startsDaemon(variant, state.path, { wrapper });
            clearInterval(reader);
            assert.equal(isStarted, starts);
          },
        );
      }
    },
  );
}

test('node: many hooks start one daemon', { skip: onLinux, timeout: 120_000 }, async () => {
  await using state = await temporaryDirectory();
  install(state.path);

  await Promise.all(
    Array.from({ length: 8 }, () => runHook(nodeVariant, '{}', { args: ['--state', state.path] })),
  );

  await until(() => startsIn(state.path).includes('ended'));
  assert.equal(startsIn(state.path).length, 2);
});

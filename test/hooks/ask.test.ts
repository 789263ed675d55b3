import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../support/hookbell-home.ts';
import { isAlive } from '../support/is-alive.ts';
import { needsOtherUser } from '../support/other-user.ts';
import { fillDisk, mountSmall, needsMount } from '../support/small-file-system.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { onlyFile, readSpool } from './read-spool.ts';
import {
  type HookOptions,
  type HookVariant,
  noticeable,
  runHook,
  shellHookPath,
  shellVariants,
  startHook,
  unnoticed,
} from './run-hook.ts';

const askHookPath = shellHookPath.replace(/hookbell-hook$/, 'hookbell-ask');
const variants = shellVariants.map((variant): HookVariant => ({
  ...variant,
  command: [...variant.command.slice(0, -1), askHookPath],
}));
const request = '{"hook_event_name":"PermissionRequest","session_id":"a"}';

/** This process is the agent. */
const inAgent = { CLAUDE_PID: String(process.pid) };

/** A hook that waits, with the writing end of its FIFO in our hands as the daemon has it. */
async function startWaiting(variant: HookVariant, state: string, options: HookOptions = {}) {
  const { child, ended } = startHook(variant, {
    ...options,
    args: ['--state', state],
    env: inAgent,
  });
  child.stdin.end(request);
  await until(() => readSpool(state).some(({ isWhole }) => isWhole));
  const { facts } = onlyFile(state);
  const [id = '', pid = '', start = ''] = (facts['ask'] ?? '').split(':');
  const path = join(state, 'asks', id);
  const end = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  return { child, ended, id, pid: Number(pid), start, facts, path, end };
}

for (const variant of variants) {
  // Most of the time a hook waits for a daemon that does not come.
  const suite = { skip: variant.skip, timeout: 60_000, concurrency: 8 };
  describe(`hookbell-ask under ${variant.name}`, suite, () => {
    test('prints the answer of a person, and nothing else', async () => {
      await using state = await temporaryDirectory();
      const { ended, id, end } = await startWaiting(variant, state.path);

      const answer = String.raw`{"text":"a \"b\" \\n %s $(id) \u001b","more":"  "}`;
      writeSync(end, `answer ${id} ${answer}\n`);
      closeSync(end);

      assert.deepEqual(noticeable(await ended), { ...unnoticed, stdout: `${answer}\n` });
      assert.ok(readdirSync(join(state.path, 'asks')).includes(`${id}.printed`));
    });

    test('prints the answer also where it cannot note that', async () => {
      await using state = await temporaryDirectory();
      const { ended, id, end } = await startWaiting(variant, state.path);
      rmSync(join(state.path, 'asks'), { recursive: true });

      writeSync(end, `answer ${id} {"a":1}\n`);
      closeSync(end);

      assert.deepEqual(noticeable(await ended), { ...unnoticed, stdout: '{"a":1}\n' });
    });

    test('notes nothing where the agent no longer reads', async () => {
      await using state = await temporaryDirectory();
      const { child, ended, id, end } = await startWaiting(variant, state.path);
      child.stdout.destroy();

      writeSync(end, `answer ${id} {"a":1}\n`);
      closeSync(end);

      assert.equal((await ended).code, 0);
      assert.equal(existsSync(join(state.path, 'asks', `${id}.printed`)), false);
    });

    test('hands the request in as hookbell-hook does, with the name of a private FIFO (T1, T3)', async () => {
      await using state = await temporaryDirectory();
      const { ended, id, pid, start, facts, path, end, child } = await startWaiting(
        variant,
        state.path,
      );

      assert.equal(onlyFile(state.path).payload.toString(), request);
      assert.match(id, /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
      assert.equal(pid, child.pid);
      assert.match(start, /^\d+$/);
      assert.equal(facts['ppid'], String(process.pid));
      assert.equal(statSync(path).isFIFO(), true);
      assert.equal((statSync(path).mode & 0o777).toString(8), '600');
      assert.equal((statSync(join(state.path, 'asks')).mode & 0o777).toString(8), '700');
      closeSync(end);
      assert.deepEqual(noticeable(await ended), unnoticed);
    });

    const nothings: Readonly<Record<string, (id: string) => string>> = {
      'an empty line': () => '\n',
      'an answer without its name': () => '{"hookSpecificOutput":{}}\n',
      'an answer to another request': () => 'answer 00000000-0000-0000-0000-000000000000 {"a":1}\n',
      'an answer whose end is missing': (id) => `answer ${id} {"a":1}`,
      'a name without an answer': (id) => `answer ${id} \n`,
      'text before the answer': (id) => `x answer ${id} {"a":1}\n`,
      'every byte value': () =>
        Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString('latin1'),
      'many lines': (id) => `x\nanswer ${id} {"a":1}\n`,
    };
    for (const [name, lineOf] of Object.entries(nothings)) {
      test(`is silent after ${name}`, async () => {
        await using state = await temporaryDirectory();
        const { ended, id, end } = await startWaiting(variant, state.path);

        writeSync(end, lineOf(id));
        closeSync(end);

        assert.deepEqual(noticeable(await ended), unnoticed);
        assert.equal(existsSync(join(state.path, 'asks', `${id}.printed`)), false);
      });
    }

    test('is silent when the daemon that holds it is killed', async () => {
      await using state = await temporaryDirectory();
      const { ended, path, end } = await startWaiting(variant, state.path);
      const daemon = spawn('sh', ['-c', 'exec 8>"$0"; echo; read -r _', path]);
      await once(daemon.stdout, 'data');
      closeSync(end);

      daemon.kill('SIGKILL');

      assert.deepEqual(noticeable(await ended), unnoticed);
    });

    test('leaves by itself when no daemon takes the request, and removes its FIFO', async () => {
      await using state = await temporaryDirectory();

      const run = await runHook(variant, request, { args: ['--state', state.path], env: inAgent });

      assert.deepEqual(noticeable(run), unnoticed);
      assert.equal(onlyFile(state.path).isWhole, true);
      assert.deepEqual(readdirSync(join(state.path, 'asks')), []);
    });

    test('ends silently and leaves no process when the agent stops its group', async () => {
      await using state = await temporaryDirectory();
      const { ended, id, pid, end } = await startWaiting(variant, state.path, {
        wrapper: ['setsid', '--wait'],
      });

      process.kill(-pid, 'SIGTERM');

      assert.deepEqual(noticeable(await ended), unnoticed);
      closeSync(end);
      assert.equal(existsSync(join(state.path, 'asks', `${id}.ended`)), true);
      await until(() => groupOf(pid).length === 0);
    });

    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
      test(`is silent after ${signal}`, async () => {
        await using state = await temporaryDirectory();
        const { ended, pid, end, id } = await startWaiting(variant, state.path);

        process.kill(pid, signal);

        assert.deepEqual(noticeable(await ended), unnoticed);
        closeSync(end);
        const isNoted = existsSync(join(state.path, 'asks', `${id}.ended`));
        assert.equal(isNoted, signal === 'SIGTERM');
        await until(() => !isAlive(pid));
      });
    }

    /** Process trees around the hook, as shells: the words behind are the hook's. */
    const others: Readonly<Record<string, HookOptions>> = {
      'another agent that reads the settings of Claude Code': {},
      'another agent, in the shell of Claude Code': {
        env: inAgent,
        wrapper: ['sh', '-c', 'sh -c \'"$@"; exit $?\' sh "$@"; exit $?', 'sh'],
      },
      'a process that a repository names': { env: { CLAUDE_PID: '1' } },
      'a name instead of a process': { env: { CLAUDE_PID: '$PPID' } },
      'Grok Build, with the hook of another agent': {
        args: ['--agent', 'codex'],
        env: { GROK_HOOK_EVENT: 'stop' },
      },
    };
    for (const [name, { args = [], ...options }] of Object.entries(others)) {
      test(`does not wait in ${name}`, async () => {
        await using state = await temporaryDirectory();

        const run = await runHook(variant, request, {
          ...options,
          args: ['--state', state.path, ...args],
        });

        assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
        assert.equal(existsSync(join(state.path, 'asks')), false);
      });
    }

    test('waits in Claude Code, which runs it by a shell', async () => {
      await using state = await temporaryDirectory();
      const { ended, id, end } = await startWaiting(variant, state.path, {
        wrapper: ['sh', '-c', '"$@"; exit $?', 'sh'],
      });

      writeSync(end, `answer ${id} {"a":1}\n`);
      closeSync(end);

      assert.equal((await ended).stdout, '{"a":1}\n');
    });

    const undirected: Readonly<Record<string, HookOptions>> = {
      'the environment names the directory': {},
      'the directory is not absolute': { args: ['--state', 'state'] },
      'the option has no value': { args: ['--state'] },
    };
    for (const [name, options] of Object.entries(undirected)) {
      test(`waits for no answer if ${name}`, async () => {
        await using state = await temporaryDirectory();

        const run = await runHook(variant, request, {
          ...options,
          cwd: state.path,
          env: {
            ...inAgent,
            HOOKBELL_STATE_DIR: state.path,
            HOME: state.path,
            XDG_STATE_HOME: state.path,
          },
        });

        assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
        assert.equal(existsSync(join(state.path, 'asks')), false);
      });
    }

    const places: Readonly<Record<string, (state: string) => void>> = {
      'a link in place of its directory': (state) => symlinkSync('/tmp', join(state, 'asks')),
      'a file in place of its directory': (state) => closeSync(openSync(join(state, 'asks'), 'w')),
      'a state directory that does not exist': (state) => chmodSync(state, 0o700),
    };
    for (const [name, plant] of Object.entries(places)) {
      test(`waits for no answer with ${name} (T3)`, async () => {
        await using directory = await temporaryDirectory();
        plant(directory.path);
        const state = name.includes('not exist') ? join(directory.path, 'none') : directory.path;

        const run = await runHook(variant, request, { args: ['--state', state], env: inAgent });

        assert.deepEqual({ ...noticeable(run), took: run.tookInput }, { ...unnoticed, took: true });
      });
    }

    test(
      'waits for no answer in the directory of another user (T1)',
      { skip: needsOtherUser() },
      async () => {
        await using directory = await temporaryDirectory();
        chmodSync(directory.path, 0o777);

        const run = await runHook(variant, request, {
          args: ['--state', directory.path],
          env: inAgent,
          wrapper: ['setpriv', '--reuid', '65534', '--clear-groups'],
        });

        assert.deepEqual(noticeable(run), unnoticed);
        assert.equal(existsSync(join(directory.path, 'asks')), false);
      },
    );

    test('is silent on a full disk and on a read-only one', { skip: needsMount() }, async () => {
      await using directory = await temporaryDirectory();
      await using disk = await mountSmall(directory.path, 1);
      mkdirSync(join(disk.path, 'asks'), { mode: 0o700 });
      await fillDisk(join(disk.path, 'full'));

      const inDisk = { args: ['--state', disk.path], env: inAgent };
      const full = await runHook(variant, request, inDisk);
      assert.deepEqual(noticeable(full), unnoticed);

      const remount = spawn('mount', ['-o', 'remount,ro', disk.path]);
      await once(remount, 'exit');
      const readOnly = await runHook(variant, request, inDisk);
      assert.deepEqual(noticeable(readOnly), unnoticed);
    });

    const oddities: Readonly<Record<string, string>> = {
      'closed standard input': 'exec "$@" <&-',
      'closed output': 'exec "$@" >&- 2>&-',
      'a full output': 'exec "$@" >/dev/full',
      'no PATH': 'unset PATH; exec "$@"',
    };
    for (const [name, script] of Object.entries(oddities)) {
      test(`exits 0 and prints nothing with ${name}`, async () => {
        await using state = await temporaryDirectory();
        const [program = '', ...words] = variant.command;
        const wrapper = ['sh', '-c', `set -- "$(command -v ${program})" "$@"; ${script}`, 'sh'];

        const run = await runHook({ ...variant, command: words }, request, {
          args: ['--state', state.path],
          env: inAgent,
          wrapper,
        });

        assert.deepEqual(noticeable(run), unnoticed);
      });
    }
  });
}

test('200 concurrent requests each get their answer', { timeout: 120_000 }, async () => {
  await using state = await temporaryDirectory();
  const variant = { name: 'sh', command: [askHookPath], skip: false } as const;
  const ends = new Map<string, number>();
  /** In time, however long it takes to start the others: a hook waits at most 5 s without a daemon. */
  function openNew(): void {
    for (const { facts } of readSpool(state.path).filter(({ isWhole }) => isWhole)) {
      const id = (facts['ask'] ?? '').split(':')[0] ?? '';
      const path = join(state.path, 'asks', id);
      if (!ends.has(id)) ends.set(id, openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    }
  }

  const runs: ReturnType<typeof runHook>[] = [];
  while (runs.length < 200) {
    const options = { args: ['--state', state.path], env: inAgent, patienceMs: 120_000 };
    for (let i = 0; i < 10; i += 1) runs.push(runHook(variant, request, options));
    await delay(1);
    openNew();
  }
  while (ends.size < 200) {
    await delay(50);
    openNew();
  }
  for (const [id, end] of ends) {
    writeSync(end, `answer ${id} {"to":"${id}"}\n`);
    closeSync(end);
  }

  const outputs = (await Promise.all(runs)).map(({ stdout }) => stdout);
  const answers = [...ends.keys()].map((id) => `{"to":"${id}"}\n`);
  assert.deepEqual(outputs.toSorted(), answers.toSorted());
});

/** The processes of a group, without those that have ended. */
function groupOf(group: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const fields = statOf(pid);
      return fields[2] === String(group) && fields[0] !== 'Z';
    });
}

function statOf(pid: number): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

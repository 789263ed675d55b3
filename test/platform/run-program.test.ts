import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProgramCall } from '../../src/platform/run-program.ts';
import { runProgram } from '../../src/platform/run-program.ts';
import { isAlive } from '../support/is-alive.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function shell(script: string, fields: Partial<ProgramCall> = {}) {
  return runProgram({
    program: '/bin/sh',
    arguments: ['-c', script],
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    ...fields,
  });
}

/** Long enough that a test which waits for it fails. */
const FOR_EVER = 'sleep 600';

test('runProgram() answers code and output', async () => {
  const result = await shell('echo out; echo err >&2; exit 3');

  assert.deepEqual(
    [result.ok, result.code, result.stdout, result.stderr, result.reason],
    [false, 3, 'out\n', 'err\n', 'exited with code 3'],
  );
});

test('runProgram() names the signal that ended the program', async () => {
  const result = await shell('kill -TRAP $$');

  assert.deepEqual([result.signal, result.reason], ['SIGTRAP', 'was ended by SIGTRAP']);
});

test('runProgram() answers NUL in an argument as a value, where execa throws (P10)', async () => {
  const result = await shell('exit 0', { arguments: ['-c', 'exit 0', 'a\0b'] });

  assert.deepEqual([result.ok, result.started], [false, false]);
  assert.match(result.reason, /NUL/);
});

test('runProgram() on Windows gives no batch file an argument that cmd would read as more', async (t) => {
  await using directory = await temporaryDirectory();
  const program = join(directory.path, 'codex.cmd');
  await writeFile(program, '#!/bin/sh\nprintf %s "$1"\n', { mode: 0o755 });
  const say = (text: string) => shell('', { program, arguments: [text] });
  const real = process.platform;
  t.after(() => Object.defineProperty(process, 'platform', { value: real }));
  assert.equal((await say('" & calc')).stdout, '" & calc');

  Object.defineProperty(process, 'platform', { value: 'win32' });
  const refused = await Promise.all(['" & calc', '%PATH%', 'a\nb', 'a\rb'].map(say));
  const taken = await say("it's done & dusted");

  for (const { started, reason } of refused) {
    assert.deepEqual([started, /batch file/.test(reason)], [false, true]);
  }
  assert.equal(taken.started, true);
});

test('runProgram() answers an argument too long for the system as a value (P10)', async () => {
  const result = await shell('exit 0', { arguments: ['-c', 'exit 0', 'x'.repeat(1_000_000)] });

  assert.equal(result.reason, 'could not be started (E2BIG)');
});

test('runProgram() kills the whole group at the deadline, also who holds the output (P11, fault 38)', async () => {
  await using directory = await temporaryDirectory();
  const pids = join(directory.path, 'pids');

  const result = await shell(`${FOR_EVER} & echo "$$ $!" > ${pids}; ${FOR_EVER}`, {
    timeoutMs: 300,
  });

  assert.deepEqual([result.ok, result.timedOut, result.started], [false, true, true]);
  assert.equal(result.reason, 'did not end within 0.3 s');
  await assertGone(await readFile(pids, 'utf8'));
});

test('runProgram() kills the whole group when its signal fires', async () => {
  await using directory = await temporaryDirectory();
  const pids = join(directory.path, 'pids');
  const stop = new AbortController();

  const running = shell(`${FOR_EVER} & echo "$$ $!" > ${pids}; ${FOR_EVER}`, {
    signal: stop.signal,
  });
  while ((await readFile(pids, 'utf8').catch(() => '')) === '') await delay(5);
  stop.abort();

  const result = await running;
  assert.deepEqual([result.aborted, result.timedOut], [true, false]);
  await assertGone(await readFile(pids, 'utf8'));
});

test('runProgram() starts nothing when its signal has fired already', async () => {
  const result = await shell('exit 0', { signal: AbortSignal.abort() });

  assert.deepEqual([result.aborted, result.started], [true, false]);
});

test(
  'runProgram() does not wait for a child that outlives the program and holds its output (P11)',
  { timeout: 20_000 },
  async () => {
    const result = await shell(`${FOR_EVER} & echo $!`, { timeoutMs: 60_000 });

    assert.equal(result.ok, true);
    await assertGone(result.stdout);
  },
);

test(
  'runProgram() does not wait for one that left the process group either (P11)',
  { timeout: 20_000 },
  async (t) => {
    const result = await shell(`setsid ${FOR_EVER} & echo $!`, { timeoutMs: 60_000 });
    t.after(() => process.kill(Number(result.stdout), 'SIGKILL'));

    assert.equal(result.ok, true);
  },
);

test('runProgram() gives an empty standard input by default (P12)', async () => {
  const result = await shell('cat; echo end');

  assert.equal(result.stdout, 'end\n');
});

test('runProgram() writes the input, also to a program that does not read it (P12)', async () => {
  const read = await shell('cat', { input: 'grüße\n' });
  const unread = await shell('exit 0', { input: 'x'.repeat(1_000_000) });

  assert.equal(read.stdout, 'grüße\n');
  assert.equal(unread.ok, true);
});

test('runProgram() does not pass on its own environment (P12)', async () => {
  const result = await runProgram({
    program: '/usr/bin/env',
    arguments: [],
    env: { ONLY: 'this' },
    timeoutMs: 10_000,
  });

  // Node adds its own to every child while coverage is measured.
  assert.equal(result.stdout.replace(/^NODE_V8_COVERAGE=.*\n/m, ''), 'ONLY=this\n');
});

test('runProgram() keeps 64 KB of output and lets the program write on (P12)', async () => {
  const result = await shell('yes x | head -c 1000000; echo x >&2');

  assert.deepEqual([result.ok, result.stdout.length, result.stderr], [true, 65_536, 'x\n']);
});

test('runProgram() names neither arguments nor output in its reason (P13)', async () => {
  const results = [
    await shell('echo hush >&2; exit 1', { arguments: ['-c', 'echo hush >&2; exit 1', 'hush'] }),
    await shell('', { program: '/nonexistent/hush', arguments: ['hush'] }),
    await shell('', { arguments: ['-c', `${FOR_EVER}; : hush`], timeoutMs: 50 }),
  ];

  for (const { ok, reason } of results) {
    assert.equal(ok, false);
    assert.doesNotMatch(reason, /hush/);
  }
});

test('runProgram() hands arguments over as they are, without a shell (P14, T4)', async () => {
  const texts = ['$(id)', '`id`', '"; id #', '*', '-n', '\\101', 'a\nb'];

  const result = await runProgram({
    program: '/usr/bin/printf',
    arguments: ['[%s]', ...texts],
    env: {},
    timeoutMs: 10_000,
  });

  assert.equal(result.stdout, texts.map((text) => `[${text}]`).join(''));
});

test('runProgram() refuses a program that PATH would have to find (P14)', async () => {
  const result = await shell('exit 0', { program: 'sh' });

  assert.equal(result.reason, 'is not given by its absolute path');
});

test('runProgram() distinguishes a missing program from one that may not be run', async () => {
  const missing = await shell('', { program: '/nonexistent/program' });
  const forbidden = await shell('', { program: '/etc/passwd' });

  assert.deepEqual([missing.started, missing.reason], [false, 'was not found']);
  assert.deepEqual([forbidden.started, forbidden.reason], [false, 'is not executable']);
});

/** A killed process is gone once its new parent has reaped it. */
async function assertGone(pids: string): Promise<void> {
  for (const pid of pids.trim().split(/\s+/).map(Number)) {
    assert.ok(pid > 1);
    for (let tries = 0; isAlive(pid); tries += 1) {
      assert.ok(tries < 500, `Process ${pid} is alive`);
      await delay(10);
    }
  }
}

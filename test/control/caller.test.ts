import assert from 'node:assert/strict';
import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';

import { agentProcesses } from '../../src/agents/registry.ts';
import {
  asCaller,
  type CallerProcess,
  createCallerCheck,
  whyNotPerson,
} from '../../src/control/caller.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

function entry(fields: Partial<CallerProcess> = {}): CallerProcess {
  return {
    pid: 100,
    parent: 1,
    terminal: '/dev/pts/3',
    isForeground: true,
    start: '7',
    ageMs: 1_000,
    words: ['node', '/opt/hookbell/dist/program/cli.js', 'allow'],
    variables: ['HOME', 'PATH'],
    ...fields,
  };
}
const known = { processes: agentProcesses, pids: new Set<number>() };
const shell = entry({ pid: 90, words: ['-bash'] });

describe('whyNotPerson()', () => {
  test('accepts a command that a person runs in a terminal', () => {
    assert.equal(whyNotPerson([entry({ parent: 90 }), shell], known), null);
  });

  const refused: Readonly<Record<string, readonly [readonly CallerProcess[], RegExp]>> = {
    'no process': [[], /cannot be checked/],
    'a line that ends before the first process': [[entry({ parent: 50 })], /cannot be checked/],
    'a process without a terminal': [[entry({ terminal: null })], /no terminal/],
    'a job in the background': [[entry({ isForeground: false })], /background/],
    'a shell of Claude Code': [
      [entry({ parent: 90 }), shell, entry({ pid: 80, words: ['claude', '--continue'] })],
      /an agent runs it \(process 80, "claude"\)/,
    ],
    'a shell of an agent that Node runs': [
      [entry(), entry({ words: ['node', '/usr/lib/node_modules/@qwen-code/qwen-code/cli.js'] })],
      /an agent runs it/,
    ],
    'a script named like an agent': [
      [entry(), entry({ words: ['node', '/x/bin/gemini'] })],
      /gemini/,
    ],
    'a shell with a variable of an agent': [
      [entry(), entry({ variables: ['CLAUDECODE'] })],
      /CLAUDECODE is set/,
    ],
    'a process known to be an agent': [[entry(), entry({ pid: 77 })], /process 77/],
  };
  for (const [name, [line, reason]] of Object.entries(refused)) {
    test(`refuses ${name}`, () => {
      assert.match(whyNotPerson(line, { ...known, pids: new Set([77]) }) ?? 'accepted', reason);
    });
  }
});

describe('the check of a caller', { skip: process.platform !== 'linux' }, () => {
  test('believes a process only that has the file open, once, and for some seconds', async () => {
    await using directory = await temporaryDirectory();
    let now = 0;
    const check = createCallerCheck({
      directory: directory.path,
      agents: agentProcesses,
      now: () => now,
    });
    const prove = (challenge: string, pid = process.pid) =>
      check.whyRefused({ challenge, pid }, new Set([process.pid]));
    const unproved = 'its process cannot be checked';

    const { id: closed } = check.challenge();
    assert.equal(await prove(closed), unproved);

    const { id: other, path } = check.challenge();
    assert.equal((statSync(path).mode & 0o777).toString(8), '600');
    const file = openSync(path, 'r');
    assert.equal(await prove(other, process.ppid), unproved);
    closeSync(file);
    assert.equal(existsSync(path), false);

    const { id, path: own } = check.challenge();
    const held = openSync(own, 'r');
    assert.match((await prove(id)) ?? 'accepted', /an agent runs it/);
    assert.equal(await prove(id), unproved);
    closeSync(held);

    const { id: late, path: latePath } = check.challenge();
    const lateFile = openSync(latePath, 'r');
    now += 11_000;
    assert.equal(await prove(late), unproved);
    closeSync(lateFile);
    check.stop();
    assert.deepEqual(readdirSync(directory.path), []);
  });

  test('takes words from a script without a terminal, and not from an agent or for another process', async () => {
    await using directory = await temporaryDirectory();
    const check = createCallerCheck({
      directory: directory.path,
      agents: agentProcesses,
      now: Date.now,
    });
    const ask = (agentPids: readonly number[], pid = process.pid) =>
      asCaller(check.challenge(), ({ challenge }) =>
        check.whyAgent({ challenge, pid }, new Set(agentPids)),
      );

    assert.equal(await ask([]), null);
    assert.match((await ask([process.pid])) ?? 'taken', /^an agent runs it \(process \d+\)$/);
    assert.equal(await ask([], process.ppid), 'its process cannot be checked');
    assert.deepEqual(readdirSync(directory.path), []);
  });

  test('accepts no one where processes cannot be checked', async () => {
    await using directory = await temporaryDirectory();
    const check = createCallerCheck({
      directory: directory.path,
      agents: agentProcesses,
      now: Date.now,
      platform: 'darwin',
    });

    const proof = { challenge: check.challenge().id, pid: process.pid };

    assert.match((await check.whyRefused(proof, new Set())) ?? 'accepted', /on Linux only/);
    check.stop();
  });
});

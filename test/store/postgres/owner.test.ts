import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';

import { needsPostgres, startPostgres } from '../../support/postgres.ts';

const MODULE = new URL('../../../src/store/postgres/open-server-store.js', import.meta.url).href;

/** Says on standard output when it has opened the store, and when it becomes the owner. */
const SCRIPT = `
const { openServerStore } = await import(process.argv[1]);
let looks = 0;
const { isOwner } = await openServerStore({
  url: process.argv[2],
  onWork() {
    looks += 1;
    if (isOwner()) process.stdout.write('owner\\n');
    else if (looks === 3) process.stdout.write('other\\n');
  },
});
`;

function start(url: string): ChildProcess {
  return spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, MODULE, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function nextWord({ stdout }: ChildProcess): Promise<string> {
  assert.ok(stdout !== null);
  const [chunk]: unknown[] = await once(stdout, 'data');
  return String(chunk).trim();
}

test(
  'one process of several is the owner, and another one takes over when it is killed',
  { skip: needsPostgres() },
  async () => {
    await using postgres = await startPostgres();
    const processes: ChildProcess[] = [];
    try {
      const first = start(postgres.url);
      processes.push(first);
      assert.equal(await nextWord(first), 'owner');
      const second = start(postgres.url);
      processes.push(second);
      assert.equal(await nextWord(second), 'other');

      const taken = nextWord(second);
      first.kill('SIGKILL');

      assert.equal(await taken, 'owner');
    } finally {
      for (const one of processes) one.kill('SIGKILL');
    }
  },
);

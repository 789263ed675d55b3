import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import test from 'node:test';

import { freePort } from '../../support/free-port.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';

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
let was = false;
setInterval(() => {
  if (was && !isOwner()) process.stdout.write('no longer\\n');
  was = isOwner();
}, 50);
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

async function wordOf(process: ChildProcess, word: string): Promise<void> {
  while (!(await nextWord(process)).includes(word));
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

test(
  'a process whose host is lost is the owner no longer, and another one takes over',
  { skip: needsPostgres(), timeout: 120_000 },
  async () => {
    const port = await freePort();
    await using postgres = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
    ]);
    await using proxy = await startTcpProxy(port);
    const processes: ChildProcess[] = [];
    try {
      const first = start(`postgres://hookbell@127.0.0.1:${proxy.port}/hookbell`);
      processes.push(first);
      assert.equal(await nextWord(first), 'owner');
      const second = start(postgres.url);
      processes.push(second);
      assert.equal(await nextWord(second), 'other');

      const lost = wordOf(first, 'no longer');
      const taken = nextWord(second);
      proxy.stall();

      await lost;
      assert.equal(await taken, 'owner');
    } finally {
      for (const one of processes) one.kill('SIGKILL');
    }
  },
);

test(
  'a process that is stopped is the owner no longer, and another one takes over',
  { skip: needsPostgres(), timeout: 120_000 },
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
      first.kill('SIGSTOP');
      assert.equal(await taken, 'owner');
      const lost = wordOf(first, 'no longer');
      first.kill('SIGCONT');
      await lost;
    } finally {
      for (const one of processes) one.kill('SIGKILL');
    }
  },
);

import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

import type { Store } from '../../src/core/store.ts';
import { decideNothing, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BATCH = 16;
const writer = fileURLToPath(new URL('../support/store-writer.js', import.meta.url));

/** Runs a writer until `isEnough` of a line it says, then kills it; answers all its lines. */
async function writeUntil(
  mode: string,
  path: string,
  isEnough: (line: string) => boolean,
): Promise<readonly string[]> {
  const child: ChildProcess = spawn(process.execPath, [writer, mode, path, String(BATCH)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (isEnough(line)) child.kill('SIGKILL');
  }
  assert.deepEqual(await exited, [null, 'SIGKILL']);
  return lines;
}

/** How many events, deliveries and sessions of a batch there are. */
async function contents(store: Store, batch: number): Promise<readonly number[]> {
  const sessionKey = `batch ${batch}`;
  const entries = await store.history.list({ limit: 100, sessionKeys: [sessionKey] });
  const sessions = await store.sessions.list({ limit: 10_000 });
  return [
    entries.length,
    entries.flatMap(({ deliveries }) => deliveries).length,
    sessions.filter(({ key }) => key === sessionKey).length,
  ];
}

test('SIGKILL inside a group commit leaves nothing of it, and all that was committed before (fault 4)', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');

  await writeUntil('stuck', path, (line) => line === 'in the middle');

  await using opened = await storeAt(path);
  assert.equal(opened.recovered, null);
  assert.deepEqual(await contents(opened.store, 0), [BATCH, BATCH, 1]);
  assert.deepEqual(await contents(opened.store, 1), [0, 0, 0]);
  const again = await opened.store.events.accept([sampleRecord({ id: '0/3' })], decideNothing);
  assert.deepEqual(again, ['known'], 'an envelope whose unlink was cut off is known (fault 2)');
});

test('SIGKILL at any moment: what was committed is there, and each batch is whole or not there (faults 2, 4)', async () => {
  await using directory = await temporaryDirectory();

  for (const commits of [1, 4, 9, 16, 25, 36]) {
    const path = join(directory.path, `${commits}.db`);
    const lines = await writeUntil('endless', path, (line) => line === `committed ${commits}`);
    const committed = lines.length;

    await using opened = await storeAt(path);

    assert.equal(opened.recovered, null);
    const { events } = await opened.store.upkeep.counts();
    assert.equal(events % BATCH, 0);
    assert.ok(events >= committed * BATCH, `${events} events, ${committed} batches committed`);
    for (let batch = 0; batch < events / BATCH; batch += 1) {
      assert.deepEqual(await contents(opened.store, batch), [BATCH, BATCH, 1], `batch ${batch}`);
    }
  }
});

import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { openMemory } from '../../../src/channels/slack/memory.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const NOW = 1_000_000;
const thread = { channel: 'C0', ts: '1.5' };
const at = (now: number) => (): number => now;

/** The only file in a directory. */
async function onlyFile(directory: string): Promise<string> {
  const [name = ''] = await readdir(directory);
  return join(directory, name);
}

test('pauses and threads are known to the next daemon, until they are over', async () => {
  await using directory = await temporaryDirectory();
  const before = openMemory(directory.path, 'app', at(NOW));
  before.threads.set('s1', thread);
  before.pauses.set('chat.update', NOW + 7_000);

  const after = openMemory(directory.path, 'app', at(NOW + 1_000));
  const later = openMemory(directory.path, 'app', at(NOW + 8_000));

  assert.deepEqual(after.threads.of('s1'), thread);
  assert.equal(after.pauses.until('chat.update'), NOW + 7_000);
  assert.equal(after.pauses.until('chat.postMessage'), 0);
  assert.deepEqual(after.paused(), [{ what: 'chat.update', until: NOW + 7_000 }]);
  assert.deepEqual(later.paused(), []);
});

test('a pause further ahead than any that Slack can ask for is over: the clock was set back', async () => {
  await using directory = await temporaryDirectory();
  openMemory(directory.path, 'app', at(NOW * 100)).pauses.set('chat.update', NOW * 100 + 7_000);

  assert.deepEqual(openMemory(directory.path, 'app', at(NOW)).paused(), []);
});

for (const text of ['', '{"threads":', '{"threads":[],"pauses":{"x":"y"}}', '[[1,2]]']) {
  test(`a damaged file counts as empty: ${JSON.stringify(text)}`, async () => {
    await using directory = await temporaryDirectory();
    openMemory(directory.path, 'app', at(NOW)).threads.set('s1', thread);
    await writeFile(await onlyFile(directory.path), text);

    const memory = openMemory(directory.path, 'app', at(NOW));

    assert.equal(memory.threads.of('s1'), null);
    assert.deepEqual([memory.paused(), memory.changes], [[], []]);
  });
}

import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { HubRoll } from '../../src/core/hub/hub-store.ts';
import { createHubDirectory } from '../../src/hub/directory.ts';
import { type Log, silentLog } from '../../src/platform/log.ts';

const ada = { email: 'ada@example.com', name: 'Ada', team: 'core', settings: '{}' };
const ben = { email: 'ben@example.com', name: null, team: null, settings: '{}' };
const roll: HubRoll = {
  version: 1,
  people: [ada, ben],
  policy: null,
  machines: [
    { name: 'desk', person: ada.email, key: '1'.repeat(64), stored: '1' },
    { name: 'lap', person: ada.email, key: '2'.repeat(64), stored: '2' },
  ],
};

test('createHubDirectory() answers who owns a machine, and who is in a group, in its order', async () => {
  const directory = createHubDirectory({
    store: { roll: (known) => Promise.resolve(known === 1 ? null : roll) },
    groups: () => ({ all: [ben.email, 'gone@example.com', ada.email] }),
    log: silentLog,
  });
  await directory.start();
  await directory.stop();

  assert.equal(directory.personOf('lap'), ada);
  assert.equal(directory.personOf('constructor'), null);
  assert.equal(directory.person('nobody@example.com'), null);
  assert.deepEqual(
    directory.machinesOf(ada.email).map(({ name }) => name),
    ['desk', 'lap'],
  );
  assert.deepEqual(directory.machinesOf(ben.email), []);
  assert.deepEqual(directory.group('all'), [ben, ada]);
  assert.equal(directory.group('toString'), null);
});

test('createHubDirectory() reports an outage of the database once, and keeps what it knew', async () => {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_fields, sentence) => warnings.push(sentence) };
  let reads: 'fail' | 'work' = 'work';
  const directory = createHubDirectory({
    store: {
      roll: () => (reads === 'work' ? Promise.resolve(roll) : Promise.reject(new Error('down'))),
    },
    groups: () => ({}),
    log,
  });
  const settled = () => directory.refresh().catch(() => {});
  const looks = async (next: typeof reads) => {
    reads = next;
    directory.wake();
    await settled();
  };
  await directory.start();
  for (const next of ['fail', 'fail', 'fail'] as const) await looks(next);
  assert.equal(warnings.length, 1);
  assert.equal(directory.personOf('lap'), ada);

  for (const next of ['work', 'fail'] as const) await looks(next);
  await directory.stop();

  assert.deepEqual(warnings, Array(2).fill('Cannot read the people of the hub: retrying'));
});

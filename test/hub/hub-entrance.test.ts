import assert from 'node:assert/strict';
import { test } from 'node:test';

import { StoreError } from '../../src/core/store-aging.ts';
import type { HubVerdict } from '../../src/core/hub/hub-store.ts';
import { hubEntrance } from '../../src/hub/hub-entrance.ts';
import { silentLog } from '../../src/platform/log.ts';
import { signRequest } from '../../src/relay/signature.ts';

const KEY = '1'.repeat(64);
const request = {
  method: 'GET',
  path: '/v1/relay/hello',
  machine: 'desk',
  time: '1000',
  nonce: 'a'.repeat(32),
  body: 'b'.repeat(64),
};

function scene(admit: () => Promise<HubVerdict>) {
  const calls = { refreshed: 0, admitted: 0, counted: [] as string[] };
  const machines = new Map([
    ['desk', { name: 'desk', person: 'ada@example.com', key: KEY, stored: KEY }],
  ]);
  const entrance = hubEntrance({
    store: {
      admit() {
        calls.admitted += 1;
        return admit();
      },
    },
    directory: {
      machine: (name) => machines.get(name) ?? null,
      refresh() {
        calls.refreshed += 1;
        return Promise.resolve();
      },
    },
    routes: {},
    openRoutes: {},
    count: (outcome) => calls.counted.push(outcome),
    log: silentLog,
  });
  return { entrance, calls };
}

test('hubEntrance() does the same for an unknown machine and for a wrong key, without the database', async () => {
  const strangers = [
    { ...request, machine: 'nobody', signature: signRequest(KEY, request) },
    { ...request, signature: signRequest('2'.repeat(64), request) },
  ];
  for (const claim of strangers) {
    const { entrance, calls } = scene(() => assert.fail('The database must not be asked'));

    assert.deepEqual(await entrance.admit(claim), { type: 'stranger' });
    assert.deepEqual(calls, { refreshed: 1, admitted: 0, counted: ['unknown'] });
  }
});

test('hubEntrance() takes the word of the database over what it knows', async () => {
  const claim = { ...request, signature: signRequest(KEY, request) };

  const { entrance } = scene(() => Promise.resolve({ type: 'unknown' }));
  assert.deepEqual(await entrance.admit(claim), { type: 'stranger' });
  const clock = scene(() => Promise.resolve({ type: 'clock', now: 7 }));
  const late = await clock.entrance.admit(claim);
  assert.ok(late.type === 'refused' && late.error === 'clock' && late.now === 7);
  const away = scene(() => Promise.reject(new StoreError('io', 'No connection')));
  const busy = await away.entrance.admit(claim);
  assert.ok(busy.type === 'refused' && busy.error === 'busy');
});

test('hubEntrance() limits the requests of one machine before it asks the database', async () => {
  const claim = { ...request, signature: signRequest(KEY, request) };
  const { entrance, calls } = scene(() =>
    Promise.resolve({ type: 'admitted', person: 'ada@example.com' }),
  );

  const all = await Promise.all(Array.from({ length: 200 }, () => entrance.admit(claim)));

  const admitted = all.filter(({ type }) => type === 'admitted').length;
  assert.ok(admitted >= 60 && admitted < 200, String(admitted));
  assert.equal(calls.admitted, admitted);
});

test('hubEntrance() asks again if another process has sealed the same key anew meanwhile', async () => {
  const claim = { ...request, signature: signRequest(KEY, request) };
  const stored = ['old', 'new'];
  const asked: string[] = [];
  const entrance = hubEntrance({
    store: {
      admit({ key }) {
        asked.push(key);
        const type = key === 'new' ? 'admitted' : 'unknown';
        return Promise.resolve(
          type === 'admitted' ? { type, person: 'ada@example.com' } : { type },
        );
      },
    },
    directory: {
      machine: (name) => ({ name, person: 'ada@example.com', key: KEY, stored: stored[0] ?? '' }),
      refresh: () => Promise.resolve(void (stored.length > 1 && stored.shift())),
    },
    routes: {},
    openRoutes: {},
    count: () => {},
    log: silentLog,
  });

  assert.equal((await entrance.admit(claim)).type, 'admitted');
  assert.deepEqual(asked, ['old', 'new']);
  stored[0] = 'revoked';
  assert.equal((await entrance.admit(claim)).type, 'stranger');
  assert.deepEqual(asked, ['old', 'new', 'revoked'], 'not a second time with the same');
});

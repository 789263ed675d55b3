import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { SealState as State } from '../../src/core/hub/hub-store.ts';
import { createKeySealing } from '../../src/hub/key-sealing.ts';
import { silentLog } from '../../src/platform/log.ts';

function scene(hasPrevious: boolean) {
  const raised = new Map<string, string>();
  const at = { now: 0, state: { type: 'plain' } as State | Error };
  const sealing = createKeySealing({
    store: {
      sealKeys: () =>
        at.state instanceof Error ? Promise.reject(at.state) : Promise.resolve(at.state),
    },
    hasPrevious: () => hasPrevious,
    warnings: {
      raise: (key, text) => void raised.set(key, text),
      clear: (key) => void raised.delete(key),
    },
    now: () => at.now,
    log: silentLog,
  });
  const look = async (state: State | Error, now = at.now) => {
    Object.assign(at, { state, now });
    await sealing.look();
    return { notes: sealing.notes().join(), warned: [...raised.values()].join() };
  };
  return { look };
}

test('createKeySealing() says that keys are not sealed, or that the previous secret can go', async () => {
  const { look } = scene(true);

  assert.match((await look({ type: 'plain' })).notes, /not sealed in the database.*"hub\.secret"/);
  assert.match((await look({ type: 'sealed' })).notes, /remove "hub\.previous_secret"/);
  assert.deepEqual(await scene(false).look({ type: 'sealed' }), { notes: '', warned: '' });
});

test('createKeySealing() names the hosts it waits for, and warns if that takes longer than a roll', async () => {
  const { look } = scene(true);
  const waiting = { type: 'waiting', hosts: ['hub-1', 'hub-2'] } as const;

  const early = await look(waiting, 0);
  const late = await look(waiting, 600_000);
  const away = await look(new Error('No connection'));
  const done = await look({ type: 'sealed' });

  assert.match(early.notes, /on "hub-1", "hub-2" does not have it: restart it/);
  assert.equal(early.warned, '');
  assert.match(late.warned, /on "hub-1", "hub-2" does not have it/);
  assert.deepEqual(away, late);
  assert.equal(done.warned, '');
  assert.equal((await look(waiting)).warned, '', 'the time counts anew');
});

test('createKeySealing() warns immediately if the keys are sealed with a secret that the process does not have', async () => {
  const { look } = scene(false);

  assert.match((await look({ type: 'foreign' })).warned, /restart it with the "hub\.secret" of/);
});

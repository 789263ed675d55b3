import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  createPresence,
  type MachineSource,
  type TerminalSource,
} from '../../src/attention/presence.ts';
import { sampleSession } from '../support/store.ts';

function machine(here: boolean | null): MachineSource {
  return { name: 'machine', look: async () => ({ isPresent: here, detail: 'works' }) };
}

function terminal(...keys: readonly string[]): TerminalSource {
  return {
    name: 'terminal',
    seesFocusAlone: false,
    watched: async () => keys,
    check: async () => 'works',
  };
}

const broken: MachineSource & TerminalSource = {
  name: 'broken',
  seesFocusAlone: false,
  look: () => Promise.reject(new Error('The bus is gone')),
  watched: () => Promise.reject(new Error('The server is gone')),
  check: () => Promise.reject(new Error('The server is gone')),
};

async function seen(...[sources]: Parameters<typeof createPresence>): Promise<unknown> {
  const presenceOf = await createPresence(sources).look([sampleSession({ key: 'a' })]);
  assert.equal(presenceOf('came meanwhile'), null);
  const presence = presenceOf('a');
  return [presence?.isPresent, presence?.watching];
}

test('createPresence().look(): one sign of absence outweighs the others, also a terminal', async () => {
  const sources = { machine: [machine(true), machine(false)], terminals: [terminal('a')] };

  assert.deepEqual(await seen(sources), [false, null]);
});

test('createPresence().look(): only the session whose terminal is looked at is watched', async () => {
  assert.deepEqual(await seen({ machine: [machine(true)], terminals: [terminal('a')] }), [
    true,
    true,
  ]);
  assert.deepEqual(await seen({ machine: [machine(null)], terminals: [terminal('b')] }), [
    null,
    null,
  ]);
});

test('createPresence().look(): the focus alone counts only while a person is present', async () => {
  const terminals = [{ ...terminal('a'), seesFocusAlone: true }];

  assert.deepEqual(await seen({ machine: [machine(true)], terminals }), [true, true]);
  assert.deepEqual(await seen({ machine: [machine(null)], terminals }), [null, null]);
  assert.deepEqual(await seen({ machine: [], terminals }), [null, null]);
});

test('createPresence(): a source that fails sees nothing and spoils nothing', async () => {
  const sources = { machine: [broken, machine(true)], terminals: [broken, terminal('a')] };

  assert.deepEqual(await seen(sources), [true, true]);
  assert.deepEqual(await createPresence(sources).check(), [
    { source: 'broken', works: false, detail: null },
    { source: 'machine', works: true, detail: 'works' },
    { source: 'broken', works: false, detail: null },
    { source: 'terminal', works: true, detail: 'works' },
  ]);
});

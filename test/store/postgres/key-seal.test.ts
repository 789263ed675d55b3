import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

import { sha256 } from '../../../src/platform/crypto.ts';
import { createKeySeal } from '../../../src/store/postgres/hub/secret-ring.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { until } from '../../support/hookbell-home.ts';
import { sampleInvitation } from '../../support/hub-store.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';

const skip = needsPostgres();
const SECRET = 's'.repeat(44);
const KEY = 'ab'.repeat(32);
const OTHER_KEY = 'cd'.repeat(32);

test('createKeySeal() opens what it has sealed for that machine, and nothing else', () => {
  const seal = createKeySeal(SECRET);
  const sealed = seal.seal('desk', KEY);

  assert.equal(seal.open('desk', sealed), KEY);
  assert.notEqual(seal.seal('desk', KEY), sealed);
  assert.equal(seal.open('bench', sealed), null, 'the row of another machine');
  assert.equal(createKeySeal('t'.repeat(44)).open('desk', sealed), null, 'another secret');
  assert.equal(seal.open('desk', KEY), null, 'not sealed');
  assert.equal(seal.open('desk', `${sealed.slice(0, -2)}AA`), null, 'changed');
  assert.equal(seal.open('desk', 'sealed1:'), null, 'cut off');
});

test(
  'with a secret a dump holds no key of a machine, and machines of before are admitted as before',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    const dump = async (): Promise<string> => {
      const program = '/usr/lib/postgresql/15/bin/pg_dump';
      return (await promisify(execFile)(program, ['--inserts', postgres.url])).stdout;
    };
    const enrolAt = async (secret: string | null, machine: string, key: string) => {
      const { store, hub } = await openServerStore({ url: postgres.url, hubSecret: secret });
      const codeHash = sha256(machine);
      await hub.invite(sampleInvitation({ codeHash }));
      assert.equal((await hub.enrol({ codeHash, machine, key })).type, 'enrolled');
      return { hub, [Symbol.asyncDispose]: () => store.close() };
    };
    {
      await using plain = await enrolAt(null, 'desk', KEY);
      assert.equal((await plain.hub.roll(null))?.machines[0]?.stored, KEY);
      assert.match(await dump(), new RegExp(KEY));
    }

    await using sealed = await enrolAt(SECRET, 'bench', OTHER_KEY);
    // The server notices a moment later that the process without a secret is gone.
    await until(async () => (await sealed.hub.sealKeys()).type === 'sealed');
    const machines = (await sealed.hub.roll(null))?.machines ?? [];
    const text = await dump();

    assert.deepEqual(
      machines.map(({ name, key }) => [name, key]),
      [
        ['bench', OTHER_KEY],
        ['desk', KEY],
      ],
    );
    assert.doesNotMatch(text, new RegExp(`${KEY}|${OTHER_KEY}|${SECRET}`));
    for (const { name, stored } of machines) {
      const claim = { machine: name, key: stored, time: Date.now(), nonce: sha256(name) };
      assert.equal((await sealed.hub.admit(claim)).type, 'admitted');
    }
    const [desk] = machines.filter(({ name }) => name === 'desk');
    await postgres.run(`UPDATE machines SET key = '${desk?.stored}' WHERE name = 'bench'`);
    const names = (await sealed.hub.roll(null))?.machines.map(({ name }) => name);
    assert.deepEqual(names, ['desk'], 'the key of one machine is not that of another');
  },
);

test('a process with another secret, or none, refuses to start as a hub', { skip }, async () => {
  await using postgres = await startPostgres();
  const open = (hubSecret?: string | null) =>
    openServerStore({ url: postgres.url, ...(hubSecret !== undefined && { hubSecret }) });
  const opened = [await open(SECRET), await open(SECRET), await open()];
  for (const { store } of opened) await store.close();

  await assert.rejects(open('t'.repeat(44)), /sealed with another secret; "hub\.secret" must be/);
  await assert.rejects(open(null), /are sealed: "hub\.secret" of the configuration is missing/);
});

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { hostname } from 'node:os';
import { promisify } from 'node:util';

import { sha256 } from '../../../src/platform/crypto.ts';
import {
  createSecretRing,
  createKeySeal,
  noSeal,
} from '../../../src/store/postgres/hub/secret-ring.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { sampleInvitation } from '../../support/hub-store.ts';
import { until } from '../../support/hookbell-home.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';

const skip = needsPostgres();
const OLD = 'o'.repeat(44);
const NEW = 'n'.repeat(44);
const WRONG = 'w'.repeat(44);
const DESK = 'ab'.repeat(32);
const BENCH = 'cd'.repeat(32);

test('createSecretRing() finds the seal by the known text, and tells its secrets to no one', () => {
  const old = ringOf(OLD);
  const both = ringOf(NEW, OLD);
  const known = old.newKnown();

  assert.equal(both.find(both.newKnown()), both.wanted);
  const key = both.sealOf(known).open('desk', createKeySeal(OLD).seal('desk', DESK));
  assert.equal(key, DESK, 'what the previous secret has sealed');
  assert.equal(both.isWantedIn(both.proofs), true);
  assert.equal(both.isWantedIn(ringOf(NEW).proofs), true);
  assert.equal(both.isWantedIn(old.proofs), false);
  assert.equal(both.isWantedIn(null), false, 'a process of an earlier version');
  assert.doesNotMatch(both.proofs, new RegExp(`${OLD}|${NEW}`));
  assert.throws(() => ringOf(NEW, WRONG).sealOf(known), /neither "hub\.secret" nor "hub\.prev/);
  assert.throws(() => ringOf(NEW).sealOf(known), /another secret; "hub\.secret" must be the same/);
  assert.throws(() => ringOf(null).sealOf(known), /"hub\.secret" of the configuration is missing/);
});

test('createSecretRing() takes keys in clear until it has seen them sealed, and not after that', () => {
  const ring = createSecretRing(NEW, null, '"hub"');

  assert.equal(ring.find(null), noSeal);
  ring.find(ring.newKnown());
  assert.equal(ring.find(null), null);
  assert.match(String(ring.fault()), /no longer sealed/);
  ring.find(ring.newKnown());
  assert.equal(ring.fault(), null);
});

test(
  'the last process that gets the new secret seals all keys with it, and no machine is refused before or after',
  { skip },
  async () => {
    await using scene = await startScene();
    const first = await scene.open(OLD);
    const second = await scene.open(OLD);
    await scene.enrol(first, 'desk', DESK);

    await first.close();
    const third = await scene.open(NEW, OLD);
    assert.deepEqual(await third.hub.sealKeys(), { type: 'waiting', hosts: [scene.host] });
    await scene.enrol(third, 'bench', BENCH);
    for (const { hub } of [second, third]) assert.deepEqual(await keysOf(hub), [BENCH, DESK]);

    await second.close();
    const fourth = await scene.open(NEW, OLD);
    await scene.untilSealed(fourth);
    assert.deepEqual(await third.hub.sealKeys(), { type: 'sealed' });
    for (const { hub } of [third, fourth]) {
      assert.deepEqual(await keysOf(hub), [BENCH, DESK]);
      for (const { name, stored } of (await hub.roll(null))?.machines ?? []) {
        const claim = {
          machine: name,
          key: stored,
          time: Date.now(),
          nonce: sha256(`${Math.random()}`),
        };
        assert.equal((await hub.admit(claim)).type, 'admitted');
      }
    }
    await scene.enrol(third, 'lathe', 'ef'.repeat(32));
    assert.doesNotMatch(
      await scene.dump(),
      new RegExp(`${DESK}|${BENCH}|${'ef'.repeat(32)}|${OLD}|${NEW}`),
    );
    const entries = (await third.hub.audit(50)).filter(({ action }) => action === 'seal');
    assert.deepEqual(
      entries.map(({ actor, detail }) => [actor, JSON.parse(detail)]),
      [['hub', { machines: 2, isFirst: false }]],
    );

    await assert.rejects(scene.open(OLD), /sealed with another secret; "hub\.secret" must be/);
    await (await scene.open(NEW)).close();
  },
);

test(
  'a process that has only the former secret answers that it is not ready, and refuses no machine for good',
  { skip },
  async () => {
    await using scene = await startScene();
    const left = await scene.open(OLD);
    await scene.enrol(left, 'desk', DESK);
    // As if it had no connection to the database for a moment.
    await scene.run('UPDATE process_configs SET process = process || $$ gone$$');
    const next = await scene.open(NEW, OLD);

    assert.deepEqual(await next.hub.sealKeys(), { type: 'sealed' });
    await assert.rejects(left.hub.roll(null), /sealed with another secret/);
    await assert.rejects(left.hub.ping(), /sealed with another secret/);
    assert.deepEqual(await left.hub.sealKeys(), { type: 'foreign' });
    await left.hub.invite(sampleInvitation({ codeHash: sha256('late') }));
    const late = left.hub.enrol({ codeHash: sha256('late'), machine: 'late', key: BENCH });
    await assert.rejects(late, /sealed with another secret/);
  },
);

test(
  'a process of an earlier version keeps the keys from being sealed again',
  { skip },
  async () => {
    await using scene = await startScene();
    const earlier = await scene.open(OLD);
    await scene.run('UPDATE process_configs SET proofs = NULL');
    const next = await scene.open(NEW, OLD);

    assert.equal((await next.hub.sealKeys()).type, 'waiting');
    await earlier.close();
    await scene.untilSealed(next);
  },
);

test('a wrong previous secret changes nothing, and the right one continues', { skip }, async () => {
  await using scene = await startScene();
  const old = await scene.open(OLD);
  await scene.enrol(old, 'desk', DESK);
  await old.close();
  const before = await scene.run('SELECT key FROM machines');

  await assert.rejects(scene.open(NEW, WRONG), /neither "hub\.secret" nor "hub\.previous_secret"/);
  assert.deepEqual(await scene.run('SELECT key FROM machines'), before);
  const next = await scene.open(NEW, OLD);
  await scene.untilSealed(next);
  assert.deepEqual(await keysOf(next.hub), [DESK]);
});

test(
  'keys are sealed again in one transaction: what fails in it leaves all of them as they were',
  { skip },
  async () => {
    await using scene = await startScene();
    const old = await scene.open(OLD);
    await scene.enrol(old, 'desk', DESK);
    await scene.run(`CREATE FUNCTION refuse_seal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut off'; END $$;
    CREATE TRIGGER refuse_seal BEFORE UPDATE ON key_seal FOR EACH ROW EXECUTE FUNCTION refuse_seal()`);
    await old.close();

    const failing = scene.open(NEW, OLD);
    await assert.rejects(failing, /cut off/);
    const again = await scene.open(OLD);
    assert.deepEqual(await keysOf(again.hub), [DESK]);
  },
);

test(
  'a hub that gets its first secret seals the keys when every process has it',
  { skip },
  async () => {
    await using scene = await startScene();
    const plain = await scene.open(null);
    await scene.enrol(plain, 'desk', DESK);
    const sealed = await scene.open(NEW);

    assert.equal((await sealed.hub.sealKeys()).type, 'waiting');
    for (const { hub } of [plain, sealed]) assert.deepEqual(await keysOf(hub), [DESK]);
    await plain.close();
    await scene.untilSealed(sealed);
    assert.deepEqual(await keysOf(sealed.hub), [DESK]);
    assert.doesNotMatch(await scene.dump(), new RegExp(DESK));
  },
);

function ringOf(secret: string | null, previous: string | null = null) {
  return createSecretRing(secret, previous, '"hub"');
}

test(
  'resetSeal() revokes all machines for a hub that lost its secret, and nothing while a process runs',
  { skip },
  async () => {
    await using scene = await startScene();
    const old = await scene.open(OLD);
    await scene.enrol(old, 'desk', DESK);
    const { hub, store } = await openServerStore({ url: scene.url });
    const actor = { type: 'admin', name: 'root@hub-1' } as const;

    assert.deepEqual(await hub.resetSeal({ actor }), { type: 'running', hosts: [scene.host] });
    assert.deepEqual(await keysOf(old.hub), [DESK]);
    await old.close();
    await until(async () => (await hub.resetSeal({ actor })).type === 'reset');
    const [entry] = await hub.audit(1);
    await store.close();

    assert.deepEqual([entry?.action, entry?.detail], ['reset', '{"machines":1}']);
    const next = await scene.open(NEW);
    assert.deepEqual(await keysOf(next.hub), []);
    await scene.enrol(next, 'desk', BENCH);
    assert.deepEqual(await keysOf(next.hub), [BENCH]);
  },
);

type Opened = Awaited<ReturnType<typeof openServerStore>> & { close(): Promise<void> };

async function startScene() {
  const postgres = await startPostgres();
  const opened: Opened[] = [];
  return {
    run: (sql: string) => postgres.run(sql),
    url: postgres.url,
    host: hostname(),
    async open(hubSecret: string | null, previousSecret: string | null = null): Promise<Opened> {
      const options = { url: postgres.url, hubSecret, previousSecret };
      const made = await openServerStore(options);
      const one = { ...made, close: () => made.store.close() };
      opened.push(one);
      return one;
    },
    async enrol({ hub }: Pick<Opened, 'hub'>, machine: string, key: string) {
      const codeHash = sha256(machine + key);
      await hub.invite(sampleInvitation({ codeHash }));
      assert.equal((await hub.enrol({ codeHash, machine, key })).type, 'enrolled');
    },
    /** The server notices a moment later that a connection is gone. */
    untilSealed: ({ hub }: Pick<Opened, 'hub'>) =>
      until(async () => (await hub.sealKeys()).type === 'sealed'),
    async dump(): Promise<string> {
      const program = '/usr/lib/postgresql/15/bin/pg_dump';
      return (await promisify(execFile)(program, ['--inserts', postgres.url])).stdout;
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened) await one.close();
      await postgres[Symbol.asyncDispose]();
    },
  };
}

async function keysOf(hub: Opened['hub']): Promise<readonly string[]> {
  return ((await hub.roll(null))?.machines ?? []).map(({ key }) => key);
}

import assert from 'node:assert/strict';
import { chown } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import type { Store } from '../../../src/core/store.ts';
import { StoreError } from '../../../src/core/store-aging.ts';
import { serverMigrations } from '../../../src/store/postgres/server-schema.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { migrateServer } from '../../../src/store/postgres/server-schema.ts';
import { claim, settlement } from '../../support/claims.ts';
import { freePort } from '../../support/free-port.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { fillDisk, mountSmall, needsMount } from '../../support/small-file-system.ts';
import { NOW, decideNothing, sampleRecord, tell } from '../../support/store.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const skip = needsPostgres();

async function storeOn(url: string) {
  const { store, hub } = await openServerStore({ url, now: () => NOW });
  return { store, hub, [Symbol.asyncDispose]: () => store.close() };
}

/** Until the call succeeds; any other rejection than of the database is thrown. */
async function insistently<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof StoreError && ['io', 'full'].includes(error.code))) throw error;
      await delay(20);
    }
  }
}

test(
  'after a failover to the standby, every event that was acknowledged is there, and the work goes on',
  { skip },
  async () => {
    const port = await freePort();
    await using primary = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      'wal_level = replica',
      'max_wal_senders = 4',
    ]);
    const standbyPort = await freePort();
    await using standby = await primary.standby(standbyPort);
    await using proxy = await startTcpProxy(port);
    const url = `postgres://hookbell@127.0.0.1:${proxy.port}/hookbell`;
    await using one = await storeOn(url);
    await using other = await storeOn(url);
    const total = 300;
    const acknowledged: string[] = [];
    const sent = new Map<string, boolean[]>();
    let next = 0;

    async function takeIn(store: Store): Promise<void> {
      while (next < total) {
        const id = `event-${next++}`;
        const record = sampleRecord({ id, sessionKey: `claude:${id}` });
        await insistently(() => store.events.accept([record], tell('desktop')));
        acknowledged.push(id);
      }
    }
    let at = NOW;
    async function send(store: Store): Promise<void> {
      while (sent.size < total) {
        const now = (at += 10);
        const claims = await insistently(() => claim(store, { limit: 5, now, leaseMs: 1 }));
        for (const claimed of claims) {
          const { id } = claimed.event;
          sent.set(id, [...(sent.get(id) ?? []), claimed.delivery.possibleDuplicate]);
          await insistently(() => store.outbox.recordAttempt(settlement(claimed)));
        }
      }
    }
    async function failOver(): Promise<void> {
      while (acknowledged.length < 120) await delay(5);
      await primary.kill();
      proxy.cut();
      await standby.promote();
      proxy.leadTo(standbyPort);
      proxy.mend();
    }
    await Promise.all([takeIn(one.store), takeIn(other.store), send(other.store), failOver()]);

    const [role] = await standby.run('SELECT pg_is_in_recovery() AS standby');
    assert.deepEqual(role, { standby: false });
    const kept = await insistently(() => one.store.history.list({ limit: 1_000 }));
    assert.deepEqual(kept.map(({ event }) => event.id).toSorted(), acknowledged.toSorted());
    assert.equal(sent.size, total);
    for (const [id, marks] of sent) {
      assert.ok(marks.slice(1).every(Boolean), `${id} was sent again unmarked`);
    }
  },
);

test(
  'on a full disk of the server, calls are refused and nothing that was acknowledged is lost',
  { skip: skip || needsMount() },
  async () => {
    await using place = await temporaryDirectory();
    await using small = await mountSmall(place.path, 256);
    // The tables are on the small disk, the write-ahead log is not: then the server goes on.
    const owner = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
    await chown(small.path, owner, owner);
    await using postgres = await startPostgres();
    await postgres.run(`CREATE TABLESPACE small LOCATION '${small.path}'`);
    await postgres.run("ALTER DATABASE hookbell SET default_tablespace = 'small'");
    await using opened = await storeOn(postgres.url);
    const { store } = opened;
    const filler = join(small.path, 'filler');
    await store.events.accept([sampleRecord({ id: 'before' })], tell('desktop'));
    await fillDisk(filler);

    const acknowledged = ['before'];
    const take = async (count: number): Promise<unknown> => {
      const id = `large-${count}`;
      const record = sampleRecord({ id, sessionKey: `claude:${id}` }, randomText(60_000, count));
      try {
        await store.events.accept([record], decideNothing);
        acknowledged.push(id);
        return null;
      } catch (error) {
        return error;
      }
    };
    let refusal: unknown = null;
    for (let count = 0; count < 200; count += 1) {
      refusal = await take(count);
      if (refusal !== null) break;
    }
    assert.ok(refusal instanceof StoreError, `no refusal after ${acknowledged.length} events`);
    assert.equal(refusal.code, 'full', refusal.message);
    assert.match(refusal.message, /^Cannot use the database "hookbell"/);
    await assert.rejects(opened.hub.ping(), (error) => error === refusal);

    await postgres.run(`COPY (SELECT 1) TO PROGRAM 'rm "${filler}"'`);
    await insistently(() => store.events.accept([sampleRecord({ id: 'after' })], decideNothing));
    const kept = (await store.history.list({ limit: 1_000 })).map(({ event }) => event.id);
    assert.deepEqual(kept.toSorted(), [...acknowledged, 'after'].toSorted());
  },
);

test(
  'processes of the earlier version go on while a newer one migrates, and cannot start again',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using one = await storeOn(postgres.url);
    await using other = await storeOn(postgres.url);
    const total = 200;
    const acknowledged: string[] = [];
    const sent: string[] = [];
    let next = 0;
    async function takeIn({ store }: typeof one): Promise<void> {
      while (next < total) {
        const id = `event-${next++}`;
        const record = sampleRecord({ id, sessionKey: `claude:${id}` });
        await store.events.accept([record], tell('desktop'));
        acknowledged.push(id);
      }
    }
    async function send({ store }: typeof one): Promise<void> {
      while (sent.length < total) {
        const claims = await claim(store, { limit: 5, now: NOW + 1 });
        for (const claimed of claims) {
          sent.push(claimed.event.id);
          await store.outbox.recordAttempt(settlement(claimed));
        }
        if (claims.length === 0) await delay(5);
      }
    }
    async function migrate(): Promise<void> {
      while (acknowledged.length < 60) await delay(5);
      const client = new Client(postgres.url);
      client.on('error', () => {});
      await client.connect();
      const tables = ['events', 'sessions', 'deliveries', 'alerts', 'mutes', 'channel_states'];
      const future = tables.map((table) => `ALTER TABLE ${table} ADD COLUMN future text;`).join('');
      const { rows } = await client.query<{ readonly space: number }>(
        "SELECT hashtext('hookbell ' || current_schema()) AS space",
      );
      await migrateServer(client, {
        space: rows[0]?.space ?? 0,
        migrations: [...serverMigrations, future],
      });
      await client.end();
    }
    async function read({ store }: typeof one): Promise<void> {
      while (sent.length < total) {
        await store.history.list({ limit: 20 });
        await store.sessions.list({ limit: 20 });
      }
    }
    await Promise.all([takeIn(one), takeIn(other), send(one), read(other), migrate()]);

    assert.deepEqual(sent.toSorted(), acknowledged.toSorted());
    await assert.rejects(storeOn(postgres.url), (error) => {
      assert.ok(error instanceof StoreError);
      return error.code === 'newer';
    });
  },
);

/** Text that cannot be compressed. */
function randomText(length: number, seed: number): string {
  let state = seed + 1;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return String.fromCodePoint(33 + ((state >> 16) % 90));
  }).join('');
}

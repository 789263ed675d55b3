import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import type { Store } from '../../../src/core/store.ts';
import { StoreError } from '../../../src/core/store-aging.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { claim, settlement } from '../../support/claims.ts';
import { certificateIn } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { needs } from '../../support/system-part.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { NOW, decideNothing, sampleRecord, tell } from '../../support/store.ts';
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
      if (!(error instanceof StoreError && error.code === 'io')) throw error;
      await delay(20);
    }
  }
}

async function allIds(store: Store): Promise<readonly string[]> {
  return (await store.history.list({ limit: 10_000 })).map(({ event }) => event.id);
}

test(
  'SIGKILL of PostgreSQL loses no event that was acknowledged, and sends none unmarked twice',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using one = await storeOn(postgres.url);
    await using other = await storeOn(postgres.url);
    const total = 300;
    const acknowledged: string[] = [];
    const sent = new Map<string, boolean[]>();
    let next = 0;

    async function takeIn(store: Store): Promise<void> {
      while (next < total) {
        const id = `event-${next++}`;
        await insistently(() =>
          store.events.accept([sampleRecord({ id, sessionKey: `claude:${id}` })], tell('desktop')),
        );
        acknowledged.push(id);
      }
    }
    async function send(store: Store, at: () => number): Promise<void> {
      while (sent.size < total) {
        const claims = await insistently(() => claim(store, { limit: 5, now: at(), leaseMs: 1 }));
        for (const claimed of claims) {
          const { possibleDuplicate } = claimed.delivery;
          const before = sent.get(claimed.event.id) ?? [];
          sent.set(claimed.event.id, [...before, possibleDuplicate]);
          // Lost claims end with their lease, and are marked.
          await insistently(() => store.outbox.recordAttempt(settlement(claimed)));
        }
      }
    }
    async function killTwice(): Promise<void> {
      for (const goal of [60, 180]) {
        while (acknowledged.length < goal) await delay(5);
        await postgres.kill();
        await postgres.start();
      }
    }
    let now = NOW;
    await Promise.all([
      takeIn(one.store),
      takeIn(other.store),
      send(one.store, () => (now += 10)),
      killTwice(),
    ]);

    assert.deepEqual(
      (await insistently(() => allIds(other.store))).toSorted(),
      acknowledged.toSorted(),
    );
    assert.equal(acknowledged.length, total);
    for (const [id, marks] of sent) {
      assert.ok(
        marks.slice(1).every((isMarked) => isMarked),
        `${id} was sent again unmarked`,
      );
    }
  },
);

test(
  'a read-only database is reported as such, and used again once it can be written',
  { skip },
  async () => {
    await using postgres = await startPostgres();
    await using opened = await storeOn(postgres.url);
    const { store } = opened;
    const renew =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL';
    await postgres.run('ALTER DATABASE hookbell SET default_transaction_read_only = on');
    await postgres.run(renew);

    const refused = async (): Promise<string> => {
      for (;;) {
        try {
          await store.events.accept([sampleRecord({ id: 'refused' })], decideNothing);
        } catch (error) {
          assert.ok(error instanceof StoreError, String(error));
          assert.equal(error.code, 'io');
          if (!/terminat|Connection/.test(error.message)) return error.message;
        }
        await delay(20);
      }
    };
    assert.match(
      await refused(),
      /it is read-only, as a standby is: name the primary in store\.postgres\.url/,
    );
    await assert.rejects(opened.hub.ping(), StoreError);

    await postgres.run(
      'BEGIN READ WRITE; ALTER DATABASE hookbell RESET default_transaction_read_only; COMMIT',
    );
    await postgres.run(renew);
    await insistently(() => store.events.accept([sampleRecord({ id: 'taken' })], decideNothing));
    assert.deepEqual(await allIds(store), ['taken']);
    await opened.hub.ping();
    assert.equal((await postgres.run('SELECT FROM heartbeats')).length, 1);
  },
);

test(
  'a cut network loses nothing: calls fail, and work again once it is mended',
  { skip },
  async () => {
    const port = await freePort();
    await using postgres = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
    ]);
    assert.equal((await postgres.run('SELECT 1 AS one')).length, 1);
    await using proxy = await startTcpProxy(port);
    await using opened = await storeOn(`postgres://hookbell@127.0.0.1:${proxy.port}/hookbell`);
    const { store } = opened;
    await store.events.accept([sampleRecord({ id: 'before' })], decideNothing);

    proxy.cut();
    await assert.rejects(
      store.events.accept([sampleRecord({ id: 'during' })], decideNothing),
      (error) => {
        assert.ok(error instanceof StoreError);
        assert.match(error.message, /^Cannot use the database "hookbell" at 127\.0\.0\.1:\d+: /);
        return true;
      },
    );
    await assert.rejects(store.history.list({ limit: 1 }), StoreError);

    proxy.mend();
    await insistently(() => store.events.accept([sampleRecord({ id: 'during' })], decideNothing));
    assert.deepEqual(await allIds(store), ['during', 'before']);
  },
);

test(
  'TLS: the certificate of the server is checked',
  { skip: skip || needs('openssl') },
  async () => {
    await using files = await temporaryDirectory();
    const port = await freePort();
    const [right, wrong] = [
      await certificateIn(files.path, 'right'),
      await certificateIn(files.path, 'wrong'),
    ];
    await using postgres = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      'ssl = on',
      `ssl_cert_file = '${right.certificate}'`,
      `ssl_key_file = '${right.key}'`,
    ]);
    const urlWith = (host: string, file: string): string =>
      `postgres://hookbell@${host}:${port}/hookbell?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`;

    await using opened = await storeOn(urlWith('localhost', right.certificate));
    await opened.store.events.accept([sampleRecord()], decideNothing);
    const [encrypted] = await postgres.run(
      "SELECT count(*)::int AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name LIKE 'hookbell %'",
    );
    assert.ok(Number(encrypted?.['count']) > 0);

    await assert.rejects(
      openServerStore({ url: urlWith('localhost', wrong.certificate) }),
      /Cannot use the database "hookbell" at localhost:\d+: .*certificate/,
    );
    // Of the right authority, but for another name.
    await assert.rejects(
      openServerStore({ url: urlWith('127.0.0.1', right.certificate) }),
      /Cannot use the database "hookbell" at 127\.0\.0\.1:\d+: .*(?:altnames|IP)/,
    );
  },
);

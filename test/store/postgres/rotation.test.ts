import assert from 'node:assert/strict';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import type { Store } from '../../../src/core/store.ts';
import { StoreError } from '../../../src/core/store-aging.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { certificateIn } from '../../support/certificate.ts';
import { freePort } from '../../support/free-port.ts';
import { needsPostgres, type Postgres, startPostgres } from '../../support/postgres.ts';
import { decideNothing, NOW, sampleRecord } from '../../support/store.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const skip = needsPostgres();

/** On a port, where clients have to prove that they know the password. */
async function guardedPostgres(port: number, settings: readonly string[] = []): Promise<Postgres> {
  const postgres = await startPostgres([
    "listen_addresses = '127.0.0.1'",
    `port = ${port}`,
    ...settings,
  ]);
  const rules = 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n';
  await writeFile(join(postgres.directory, 'data', 'pg_hba.conf'), rules);
  await postgres.run("ALTER ROLE hookbell PASSWORD 'first'");
  await postgres.run('SELECT pg_reload_conf()');
  return postgres;
}

/** Ends all connections, so that each is made anew. */
async function endAll(postgres: Postgres): Promise<void> {
  await postgres.run(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'hookbell %'",
  );
}

async function takenInTheEnd(store: Store, id: string): Promise<void> {
  for (;;) {
    try {
      await store.events.accept([sampleRecord({ id })], decideNothing);
      return;
    } catch (error) {
      if (!(error instanceof StoreError && error.code === 'io')) throw error;
      await delay(20);
    }
  }
}

test(
  'a password that was changed at the server is used once its secret has changed too',
  { skip, timeout: 120_000 },
  async () => {
    const port = await freePort();
    await using postgres = await guardedPostgres(port);
    const urlWith = (password: string): string =>
      `postgres://hookbell:${password}@127.0.0.1:${port}/hookbell`;
    let secret = urlWith('first');
    const { store } = await openServerStore({
      url: secret,
      readUrl: () => Promise.resolve(secret),
      now: () => NOW,
    });
    try {
      await store.events.accept([sampleRecord({ id: 'before' })], decideNothing);

      await postgres.run("ALTER ROLE hookbell PASSWORD 'second'");
      await endAll(postgres);
      secret = urlWith('second');

      await takenInTheEnd(store, 'after');
      const events = await store.history.list({ limit: 10 });
      assert.deepEqual(
        events.map(({ event }) => event.id),
        ['after', 'before'],
      );
    } finally {
      await store.close();
    }
  },
);

test('a secret that cannot be read leaves the former password in use', { skip }, async () => {
  const port = await freePort();
  await using postgres = await guardedPostgres(port);
  const { store } = await openServerStore({
    url: `postgres://hookbell:first@127.0.0.1:${port}/hookbell`,
    readUrl: () => Promise.reject(new Error('The vault is closed')),
    now: () => NOW,
  });
  try {
    await endAll(postgres);
    await takenInTheEnd(store, 'event');
  } finally {
    await store.close();
  }
});

test(
  'a certificate authority that was replaced is used for the next connection',
  { skip: skip || needs('openssl'), timeout: 120_000 },
  async () => {
    await using files = await temporaryDirectory();
    const port = await freePort();
    const [former, next] = [
      await certificateIn(files.path, 'former'),
      await certificateIn(files.path, 'next'),
    ];
    const trusted = join(files.path, 'trusted.pem');
    await copyFile(former.certificate, trusted);
    await using postgres = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      'ssl = on',
      `ssl_cert_file = '${former.certificate}'`,
      `ssl_key_file = '${former.key}'`,
    ]);
    const { store } = await openServerStore({
      url: `postgres://hookbell@localhost:${port}/hookbell?sslmode=verify-full&sslrootcert=${encodeURIComponent(trusted)}`,
      now: () => NOW,
    });
    try {
      await postgres.run(`ALTER SYSTEM SET ssl_cert_file = '${next.certificate}'`);
      await postgres.run(`ALTER SYSTEM SET ssl_key_file = '${next.key}'`);
      await postgres.run('SELECT pg_reload_conf()');
      await endAll(postgres);
      await writeFile(trusted, await readFile(next.certificate));

      await takenInTheEnd(store, 'event');
    } finally {
      await store.close();
    }
  },
);

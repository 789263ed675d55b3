import assert from 'node:assert/strict';
import test from 'node:test';

import { certificateIn } from '../support/certificate.ts';
import { freePort } from '../support/free-port.ts';
import { needsPostgres, startPostgres } from '../support/postgres.ts';
import { assertStorePasses } from '../support/store-suite.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** Each statement goes the same way, so these stand for all, which take minutes. */
const FILES = ['event-store', 'outbox-store', 'follow', 'mute-store'];

test(
  'the tests of the store pass on PostgreSQL over TLS on the loopback',
  { skip: needsPostgres() || needs('openssl') },
  async () => {
    await using files = await temporaryDirectory();
    const { certificate, key } = await certificateIn(files.path, 'server');
    const port = await freePort();
    await using postgres = await startPostgres([
      "listen_addresses = '127.0.0.1'",
      `port = ${port}`,
      'ssl = on',
      `ssl_cert_file = '${certificate}'`,
      `ssl_key_file = '${key}'`,
      'log_connections = on',
    ]);
    // Without TLS no one gets in.
    await postgres.run(`COPY (SELECT 'local all all trust' UNION ALL SELECT 'hostssl all all all trust')
      TO '${postgres.directory}/data/pg_hba.conf'`);
    await postgres.run('SELECT pg_reload_conf()');
    await assert.rejects(
      fetchNothing(`postgres://hookbell@localhost:${port}/hookbell?sslmode=disable`),
      /no pg_hba\.conf entry/,
    );

    assertStorePasses(
      `postgres://hookbell@localhost:${port}/hookbell?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificate)}`,
      { only: FILES, least: 15 },
    );
  },
);

async function fetchNothing(url: string): Promise<void> {
  const { openServerStore } = await import('../../src/store/postgres/open-server-store.ts');
  const { store } = await openServerStore({ url });
  await store.close();
}

import assert from 'node:assert/strict';
import test from 'node:test';

import { hubHomes } from '../../support/hub-homes.ts';
import { needsPostgres } from '../../support/postgres.ts';

const skip = needsPostgres();

test(
  '"hookbell hub status" warns while keys of machines are not sealed',
  { skip, timeout: 120_000 },
  async () => {
    await using team = await hubHomes({ count: 2, config: (index) => SECRETS[index] ?? '' });
    const [plain, sealed] = [team.hubs[0]!, team.hubs[1]!];
    await plain.start();
    const before = await plain.cli('hub', 'status');
    await plain.killDaemon();
    await sealed.start();
    const after = await sealed.cli('hub', 'status');

    assert.match(before.stderr, /Warning: The keys of machines are not sealed.*"hub\.secret"/);
    assert.deepEqual([before.code, after.code, after.stderr], [0, 0, '']);
  },
);

const SECRETS = ['', `  secret: ${'s'.repeat(44)}\n`];

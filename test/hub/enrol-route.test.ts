import assert from 'node:assert/strict';
import { test } from 'node:test';

import { enrolRoute } from '../../src/hub/enrol-route.ts';
import { silentLog } from '../../src/platform/log.ts';

/** Under which name attempts from these addresses are counted. */
async function countedAs(addresses: readonly string[]): Promise<readonly string[]> {
  const names: string[] = [];
  const route = enrolRoute({
    store: {
      mayEnrol(network) {
        names.push(network);
        return Promise.resolve(1_500);
      },
      enrol: () => assert.fail('The code must not be tried'),
    },
    count: (outcome) => assert.equal(outcome, 'rate'),
    log: silentLog,
  });
  const body = { version: 1, code: 'ABCD-EFGH-JKLM-NPQR', machine: 'desk', key: '1'.repeat(64) };
  for (const address of addresses) {
    const answer = await route.handle(address, Buffer.from(JSON.stringify(body)));
    assert.deepEqual([answer.status, answer.retryAfterSeconds], [429, 2]);
  }
  return names;
}

test('enrolRoute() limits the attempts of all addresses of an IPv6 /64 together, and of no other', async () => {
  const rows = [
    ['2001:db8:1:2::/64', ['2001:db8:1:2::9', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:ffff::']],
    ['2001:db8:1:3::/64', ['2001:db8:1:3::9']],
    ['2001:db8:0:0::/64', ['2001:db8::9', '2001:db8::', '2001:db8:0:0:1::']],
    ['0:0:0:0::/64', ['::1', '::']],
    ['0:0:0:5::/64', ['::5:0:0:0:6']],
    ['192.0.2.7', ['192.0.2.7', '::ffff:192.0.2.7', '::FFFF:192.0.2.7']],
  ] as const;
  for (const [name, addresses] of rows) {
    assert.deepEqual(
      await countedAs(addresses),
      addresses.map(() => name),
    );
  }
});

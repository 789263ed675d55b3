import assert from 'node:assert/strict';
import { test } from 'node:test';

import { clientAddress, parseNetwork } from '../../src/platform/http/client-address.ts';

const PROXIES = ['10.0.0.7', '10.1.0.0/16', '2001:db8::/64', '::1'];

for (const [what, peer, header, expected] of [
  ['no proxy', '192.0.2.1', '', '192.0.2.1'],
  ['a stranger that writes the header', '192.0.2.1', '10.0.0.7, 1.1.1.1', '192.0.2.1'],
  ['a proxy without the header', '10.0.0.7', '', '10.0.0.7'],
  ['a proxy', '10.0.0.7', '192.0.2.9', '192.0.2.9'],
  ['a proxy over a socket for both families', '::ffff:10.0.0.7', '192.0.2.9', '192.0.2.9'],
  ['what the client wrote before', '10.0.0.7', '1.1.1.1,  2.2.2.2 ,192.0.2.9', '192.0.2.9'],
  ['the name of a proxy that the client wrote', '10.0.0.7', '10.0.0.7, 192.0.2.9', '192.0.2.9'],
  ['two proxies', '10.0.0.7', '1.1.1.1, 192.0.2.9, 10.1.2.3', '192.0.2.9'],
  ['only proxies', '10.0.0.7', '10.1.0.1', '10.1.0.1'],
  ['a client with a port', '10.0.0.7', '192.0.2.9:4711', '192.0.2.9'],
  ['an IPv6 client with a port', '::1', '[2001:DB8:1::0:9]:80', '2001:db8:1::9'],
  ['a mapped client', '::1', '::ffff:192.0.2.9', '192.0.2.9'],
  ['a proxy in a network', '2001:db8::2', '2001:db8:0:1::1', '2001:db8:0:1::1'],
  ['no address', '10.0.0.7', '1.1.1.1, unknown', '10.0.0.7'],
  ['an empty hop', '10.0.0.7', '1.1.1.1, ', '10.0.0.7'],
  ['SQL', '10.0.0.7', "1.1.1.1'; DROP TABLE limits;--", '10.0.0.7'],
  ['a zone', '::1', 'fe80::1%eth0', '::1'],
  ['a unix socket', 'socket', '192.0.2.9', 'socket'],
] as const) {
  test(`clientAddress() of ${what}`, () => {
    assert.equal(clientAddress(peer, header, PROXIES), expected);
  });
}

test('parseNetwork() accepts addresses and networks, but not all addresses', () => {
  const bad = ['', 'hub', '10.0.0', '10.0.0.7/', '10.0.0.0/33', '0.0.0.0/0', '::/0', '::1/129'];
  for (const text of [...bad, '10.0.0.0/8/8', '10.0.0.0/-1', 'fe80::1%eth0', '10.0.0.7 ']) {
    assert.equal(parseNetwork(text), null, text);
  }
  assert.deepEqual(parseNetwork('10.0.0.0/8'), { address: '10.0.0.0', bits: 8 });
  assert.deepEqual(parseNetwork('::1'), { address: '::1', bits: 128 });
});

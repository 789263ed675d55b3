import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from '../../../src/channels/webhook/public-lookup.ts';

const refused = {
  'this machine': ['127.0.0.1', '127.255.255.254', '0.0.0.0', '::1', '::', '0:0:0:0:0:0:0:1'],
  'private networks': ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fd00::1'],
  'link-local networks and cloud metadata': [
    '169.254.169.254',
    'fe80::1',
    'fe80::1%eth0',
    'fd00:ec2::254',
  ],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'reserved, documentation and benchmark networks': [
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
    '2001:db8::1',
    '3fff::1',
    '100::1',
    'fec0::1',
  ],
  multicast: ['224.0.0.1', 'ff02::1'],
  'an IPv4 address inside an IPv6 one': [
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    '0:0:0:0:0:ffff:7f00:1',
    '::10.0.0.1',
    '::ffff:0:10.0.0.1',
    '64:ff9b::127.0.0.1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:7f00:1::',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  ],
  'text that is not an address': ['', 'localhost', '10.0.0', '1.2.3.4.5', '0x7f000001'],
};
for (const [what, addresses] of Object.entries(refused)) {
  test(`isPublicAddress() refuses ${what} (T10, fault 54)`, () => {
    assert.deepEqual(addresses.filter(isPublicAddress), []);
  });
}

test('isPublicAddress() takes public addresses, also just outside the private networks', () => {
  const taken = [
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '::ffff:1.1.1.1',
    '64:ff9b::1.1.1.1',
  ];

  assert.deepEqual(
    taken.filter((address) => !isPublicAddress(address)),
    [],
  );
});

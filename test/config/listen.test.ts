import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { configOf, problemsOf } from '../support/config-text.ts';

describe('The section "listen"', () => {
  test('means a socket alone, or a port of this machine too', async () => {
    const { listen } = await configOf('listen: {}');
    const { listen: port } = await configOf('listen: { port: 7000 }');

    assert.deepEqual(listen, { socket: null, tcp: null, tls: null });
    assert.deepEqual(port?.tcp, { host: '127.0.0.1', port: 7000 });
  });

  test('takes another host with certificate and key', async () => {
    const { listen } = await configOf(
      'listen: { port: 7000, host: 0.0.0.0, certificate: c.pem, key: k.pem }',
    );

    assert.deepEqual(listen?.tcp, { host: '0.0.0.0', port: 7000 });
    assert.notEqual(listen?.tls, null);
  });

  for (const [section, problem] of [
    ['{ port: 1, certificate: c.pem }', /listen\.certificate: has no effect without "key"/],
    ['{ port: 1, key: k.pem }', /listen\.key: has no effect without "certificate"/],
    ['{ host: 127.0.0.1 }', /listen\.host: has no effect without "port"/],
    ['{ certificate: c.pem, key: k.pem }', /listen\.certificate: has no effect without "port"/],
    [
      '{ port: 1, host: 0.0.0.0 }',
      /listen\.host: is "0\.0\.0\.0", which other machines can reach without TLS: set "cert/,
    ],
  ] as const) {
    test(`refuses ${section}`, async () => {
      const [first, ...others] = await problemsOf(`listen: ${section}`);

      assert.match(first ?? '', problem);
      assert.deepEqual(others, []);
    });
  }
});

describe('The section "relay"', () => {
  for (const [to, problem] of [
    ['home:7000', /relay\.to: is neither "https:\/\/HOST:PORT" nor the absolute path/],
    ['http://10.0.0.1:7000', /relay\.to: goes to another machine without TLS/],
    ['https://home:7000/path', /relay\.to: contains more than a host and a port/],
  ] as const) {
    test(`refuses ${to}`, async () => {
      const [first, ...others] = await problemsOf(`relay: { to: "${to}" }`);

      assert.match(first ?? '', problem);
      assert.deepEqual(others, []);
    });
  }
});

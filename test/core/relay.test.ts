import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseRelayAddress } from '../../src/core/relay.ts';

test('parseRelayAddress() reads the path of a socket, and a host with its port', () => {
  const url = { type: 'url', secure: false } as const;
  for (const path of ['/run/hub.sock', '~/hub.sock', 'C:\\hub', '\\\\.\\pipe\\hub']) {
    assert.deepEqual(parseRelayAddress(path), { type: 'socket', path });
  }
  for (const [text, address] of [
    ['https://hub.example.com', { ...url, secure: true, host: 'hub.example.com', port: 443 }],
    [
      'HTTPS://hub.example.com:8443/',
      { ...url, secure: true, host: 'hub.example.com', port: 8443 },
    ],
    ['https://localhost', { ...url, secure: true, host: 'localhost', port: 443 }],
    ['http://127.0.0.1', { ...url, host: '127.0.0.1', port: 80 }],
    ['http://[::1]:8080', { ...url, host: '::1', port: 8080 }],
  ] as const) {
    assert.deepEqual(parseRelayAddress(text), address, text);
  }
});

test('parseRelayAddress() refuses what is more than a host, and what goes there without TLS (D14)', () => {
  for (const [text, fault] of [
    ['hub.example.com', /^is neither/],
    ['ftp://hub.example.com', /^is neither/],
    ['https://', /^is neither/],
    ['https://hub.example.com/path', /more than a host/],
    ['https://hub.example.com?x', /more than a host/],
    ['https://hub.example.com#x', /more than a host/],
    ['https://me@hub.example.com', /more than a host/],
    ['https://:word@hub.example.com', /more than a host/],
    ['http://localhost:8080', /another user's server on \[::1\]/],
    ['http://hub.example.com', /without TLS/],
  ] as const) {
    const read = parseRelayAddress(text);
    assert.match(typeof read === 'string' ? read : 'an address', fault, text);
  }
});

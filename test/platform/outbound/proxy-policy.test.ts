import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { ConfigError } from '../../../src/platform/errors.ts';
import { proxyFor } from '../../../src/platform/outbound/proxy-policy.ts';

const PROXY = 'http://proxy.example:3128';
const isProxied = (url: string, env: Record<string, string>): boolean =>
  proxyFor(new URL(url), env) !== null;

describe('proxyFor()', () => {
  test('takes HTTPS_PROXY for https and HTTP_PROXY for http, the lower case first, and none where it is empty', () => {
    const https = { HTTPS_PROXY: PROXY };

    assert.equal(proxyFor(new URL('https://a.example'), https)?.href, `${PROXY}/`);
    assert.equal(isProxied('http://a.example', https), false);
    assert.equal(isProxied('http://a.example', { http_proxy: PROXY }), true);
    assert.equal(isProxied('https://a.example', { HTTP_PROXY: PROXY }), false);
    assert.equal(isProxied('https://a.example', { ...https, https_proxy: '' }), false);
  });

  const exemptions: readonly (readonly [string, string, boolean])[] = [
    ['', 'a.example', true],
    ['*', 'a.example', false],
    ['a.example', 'a.example', false],
    ['A.Example', 'a.example', false],
    ['a.example', 'a.example.', false],
    ['example', 'a.example', false],
    ['a.example', 'ba.example', true],
    ['.example.com', 'example.com', true],
    ['.example.com', 'x.example.com', false],
    ['*.example.com', 'example.com', true],
    ['*.example.com', 'x.y.example.com', false],
    ['other.test, a.example', 'a.example', false],
    ['other.test  a.example', 'a.example', false],
    ['a.example:443', 'a.example', false],
    ['a.example:8443', 'a.example', true],
    ['a.example:8443', 'a.example:8443', false],
    ['10.0.0.0/8', '10.1.2.3', false],
    ['10.0.0.0/8', '11.1.2.3', true],
    ['10.0.0.0/99', '10.1.2.3', true],
    ['192.0.2.7', '192.0.2.7', false],
    ['192.0.2.7', '192.0.2.70', true],
    ['2.7', '192.0.2.7', true],
    ['2001:db8::/32', '[2001:db8::1]', false],
    ['[2001:db8::1]:443', '[2001:db8::1]', false],
    ['[2001:db8::1]:80', '[2001:db8::1]', true],
    ['192.0.2.7', '[2001:db8::1]', true],
    ['/', 'a.example', true],
    ['a.example:https', 'a.example', true],
    ['[2001:db8::1', '[2001:db8::1]', true],
    [':443', 'a.example', true],
  ];
  for (const [noProxy, host, proxied] of exemptions) {
    test(`with NO_PROXY "${noProxy}" ${host} is reached ${proxied ? 'through the proxy' : 'directly'}`, () => {
      for (const name of ['NO_PROXY', 'no_proxy']) {
        const env = { HTTPS_PROXY: PROXY, [name]: noProxy };
        assert.equal(isProxied(`https://${host}`, env), proxied);
      }
    });
  }

  test('takes HTTP_PROXY for an address without a usual port, and NO_PROXY without a port still names it', () => {
    const env = { HTTP_PROXY: PROXY, NO_PROXY: 'near.example far.example:80' };

    assert.equal(isProxied('ws://near.example', env), false);
    assert.equal(isProxied('ws://far.example', env), true);
  });

  test('never takes a proxy for this machine', () => {
    for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
      assert.equal(isProxied(`http://${host}:8080`, { http_proxy: PROXY }), false);
    }
  });

  test('refuses an address that is not http or https, and does not show it', () => {
    for (const address of ['proxy:3128', 'user:s3cret-word@proxy', 'socks5://proxy:1080']) {
      assert.throws(
        () => proxyFor(new URL('https://a.example'), { https_proxy: address }),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.match(error.message, /proxy in HTTPS_PROXY: it is not an http or https URL/);
          assert.equal(inspect(error).includes('s3cret-word'), false);
          return true;
        },
      );
    }
  });
});

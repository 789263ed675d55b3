import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type LookupFunction, type Socket } from 'node:net';
import { describe, test } from 'node:test';

import { createOutbound, handOver } from '../../../src/platform/outbound/outbound.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import { connectProxy } from '../../support/proxied-service.ts';

/** A proxy that gives every client the same answer, and what was asked of it. */
async function openProxy(answer: string) {
  const asked: Buffer[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      asked.push(chunk);
      socket.write(answer);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    port,
    asked: () => Buffer.concat(asked),
    outbound: (scheme = 'http') =>
      createOutbound({ env: { http_proxy: `${scheme}://127.0.0.1:${port}` } }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

const resolving =
  (...found: Parameters<Parameters<LookupFunction>[2]>): LookupFunction =>
  (_name, _options, done) =>
    done(...found);

const OPENED = 'HTTP/1.1 200 Connection established\r\n\r\n';

describe('Outbound.tunnel()', () => {
  for (const [name, url, lookup, target] of [
    ['a name', 'http://a.example', undefined, 'a.example:80'],
    ['a port', 'http://a.example:8080', undefined, 'a.example:8080'],
    ['an IPv6 address', 'http://[2001:db8::1]/', undefined, '[2001:db8::1]:80'],
    [
      'the address that was looked up',
      'http://a.example',
      resolving(null, '192.0.2.1', 4),
      '192.0.2.1:80',
    ],
    [
      'the first of several',
      'http://a.example',
      resolving(null, [
        { address: '2001:db8::2', family: 6 },
        { address: '192.0.2.1', family: 4 },
      ]),
      '[2001:db8::2]:80',
    ],
    [
      'an address, which is not looked up',
      'http://192.0.2.9',
      resolving(new Error('It was looked up'), ''),
      '192.0.2.9:80',
    ],
  ] as const) {
    test(`asks the proxy for ${name}`, async () => {
      await using proxy = await openProxy(OPENED);

      const options = lookup === undefined ? {} : { lookup };
      const socket = await proxy.outbound().tunnel(new URL(url), options);

      assert.equal(proxy.asked().toString().split(' HTTP')[0], `CONNECT ${target}`);
      socket.destroy();
    });
  }

  for (const [login, sent] of [
    ['ann:a%40b', 'ann:a@b'],
    ['ann:100%', 'ann:100%'],
  ] as const) {
    test(`logs in with "${sent}" for "${login}"`, async () => {
      await using proxy = await openProxy(OPENED);
      const env = { http_proxy: `http://${login}@127.0.0.1:${proxy.port}` };

      const socket = await createOutbound({ env }).tunnel(new URL('http://a.example'), {});

      const [, found = ''] =
        /^proxy-authorization: Basic (\S+)/im.exec(String(proxy.asked())) ?? [];
      assert.equal(Buffer.from(found, 'base64').toString(), sent);
      socket.destroy();
    });
  }

  test('keeps what the far side said together with the answer of the proxy', async () => {
    await using proxy = await openProxy(`${OPENED}220 welcome\r\n`);

    const socket = await proxy.outbound().tunnel(new URL('http://a.example'), {});
    const [greeting] = await once(socket, 'data');

    assert.equal(String(greeting), '220 welcome\r\n');
    socket.destroy();
  });

  for (const [answer, code] of [
    ['HTTP/1.1 503 Busy\r\n\r\n', 'ERR_PROXY_REFUSED'],
    ['HTTP/1.1 407 Login\r\n\r\n', 'ERR_PROXY_LOGIN'],
    ['SSH-2.0-server\r\n', 'ERR_PROXY_UNREACHABLE'],
  ] as const) {
    test(`rejects with ${code} where the proxy answers "${answer.trim()}"`, async () => {
      await using proxy = await openProxy(answer);

      await assert.rejects(proxy.outbound().tunnel(new URL('http://a.example'), {}), {
        name: 'ProxyError',
        code,
      });
    });
  }

  test('shows a proxy whose address is https nothing before TLS', async () => {
    await using proxy = await openProxy(OPENED);

    await assert.rejects(proxy.outbound('https').tunnel(new URL('http://a.example'), {}), {
      code: 'ERR_PROXY_UNREACHABLE',
    });

    assert.equal(proxy.asked()[0], 0x16);
    assert.equal(proxy.asked().includes('CONNECT'), false);
  });

  test('rejects as the lookup did, and asks no proxy', async () => {
    await using proxy = await openProxy(OPENED);
    const lookup = resolving(new Error('The address is private'), '');

    const opening = proxy.outbound().tunnel(new URL('http://a.example'), { lookup });

    await assert.rejects(opening, /The address is private/);
    assert.equal(proxy.asked().length, 0);
  });

  test('rejects with an error where it was stopped during the lookup by something else', async () => {
    await using proxy = await openProxy(OPENED);
    const stopping = new AbortController();
    const lookup: LookupFunction = (_name, _options, done) => {
      stopping.abort('enough');
      done(null, '192.0.2.1', 4);
    };

    const opening = proxy
      .outbound()
      .tunnel(new URL('http://a.example'), { lookup, signal: stopping.signal });

    await assert.rejects(opening, { name: 'Error', message: 'Stopped', cause: 'enough' });
    assert.equal(proxy.asked().length, 0);
  });

  test('needs a proxy for the address', async () => {
    const outbound = createOutbound({ env: { https_proxy: 'http://127.0.0.1:9' } });

    await assert.rejects(outbound.tunnel(new URL('http://a.example'), {}), TypeError);
  });
});

test('Outbound.fetch() returns an answer without a body through a proxy', async () => {
  await using endpoint = await openHttpEndpoint();
  await using proxy = await connectProxy({ to: endpoint.port });
  endpoint.answer({ status: 204 });
  const outbound = createOutbound({ env: { http_proxy: `http://127.0.0.1:${proxy.port}` } });
  const { signal } = new AbortController();

  const response = await outbound.fetch('http://a.example/x', { redirect: 'manual', signal });

  assert.deepEqual([response.status, response.body], [204, null]);
  assert.deepEqual(proxy.targets, ['a.example:80']);
  await outbound.close();
});

test('handOver() passes an error where a connection failed with something else', async () => {
  const results: unknown[] = [];

  // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- that is the case at hand
  await handOver(Promise.reject('refused'), (...result) => results.push(...result));

  assert.ok(results[0] instanceof Error);
  assert.equal(results[1], null);
});

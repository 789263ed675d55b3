import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, test } from 'node:test';

import { isLoopback } from '../../src/platform/loopback-address.ts';
import { listenOnLoopback } from '../../src/platform/loopback-server.ts';

/** The status of a request that names this host. */
function statusFor(origin: string, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const asked = request(origin, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.once('error', reject);
    asked.end();
  });
}

describe('listenOnLoopback()', () => {
  test('answers under its own name alone, so that no rebound name of a web page gets in (T17)', async () => {
    const server = await listenOnLoopback({ host: '127.0.0.1', port: 0 }, () => (_, response) => {
      response.end('in');
    });
    const own = new URL(server.origin).host;
    const port = own.split(':')[1];

    const statuses = await Promise.all(
      [own, `evil.test:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:1`].map((host) =>
        statusFor(server.origin, host),
      ),
    );
    await server.close();

    assert.deepEqual(statuses, [200, 421, 421, 421, 421]);
  });

  for (const [what, opening] of [
    ['that say nothing', ''],
    ['that were answered', 'GET / HTTP/1.1\r\nHost: HOST\r\n\r\n'],
    ['that never end their body', 'POST / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 9\r\n\r\n'],
  ] as const) {
    test(`serves an honest client beside 200 connections ${what} (D15)`, async () => {
      const server = await listenOnLoopback(
        { host: '127.0.0.1', port: 0 },
        () => (asked, response) => {
          asked.resume();
          if (asked.method === 'GET') response.end('in');
        },
      );
      const { host, port } = new URL(server.origin);
      const idle = await Promise.all(
        Array.from({ length: 200 }, async () => {
          const socket = connect(Number(port), '127.0.0.1');
          socket.on('error', () => {}).resume();
          await once(socket, 'connect');
          socket.write(opening.replace('HOST', host));
          return socket;
        }),
      );

      assert.equal(await statusFor(server.origin, host), 200);

      for (const socket of idle) socket.destroy();
      await server.close();
    });
  }

  test('refuses an address that others could reach', async () => {
    for (const host of ['0.0.0.0', '::', '192.168.1.5', 'localhost', '10.0.0.1', '127.evil.test']) {
      assert.equal(isLoopback(host), false, host);
      await assert.rejects(
        listenOnLoopback({ host, port: 0 }, () => () => undefined),
        /is not a loopback address/,
      );
    }
  });

  test('rejects where another program has the port', async () => {
    const first = await listenOnLoopback({ host: '127.0.0.1', port: 0 }, () => () => undefined);
    const port = Number(new URL(first.origin).port);

    await assert.rejects(
      listenOnLoopback({ host: '127.0.0.1', port }, () => () => undefined),
      { code: 'EADDRINUSE' },
    );
    await first.close();
  });
});

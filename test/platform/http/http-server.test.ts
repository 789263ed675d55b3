import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';

import { isLoopback } from '../../../src/platform/loopback-address.ts';
import {
  createBoundedServer,
  listenOnLoopback,
  startListening,
  stopListening,
} from '../../../src/platform/http/http-server.ts';
import { selfSigned } from '../../support/http-endpoint.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
}

function post(path: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n`;
}

/** A server with TLS that keeps three idle connections, and answers all but "/wait". */
async function tlsServer() {
  const directory = await temporaryDirectory();
  await selfSigned(directory.path, 'IP:127.0.0.1');
  const [cert, key] = await Promise.all(
    ['cert.pem', 'key.pem'].map((name) => readFile(join(directory.path, name))),
  );
  const server = createBoundedServer(
    { unfinishedBodies: 'silent', connections: { most: 100, silent: 3 }, tls: { cert, key } },
    ({ url }, response, keep) => {
      if (url === '/kept') keep();
      if (url === '/') response.end();
    },
  );
  await startListening(server, { host: '127.0.0.1', port: 0 });
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    /** Resolves once the server has the request. */
    async open(said = ''): Promise<Socket> {
      const socket = connectTls({ host: '127.0.0.1', port, rejectUnauthorized: false });
      socket.on('error', () => {}).resume();
      await once(socket, 'secureConnect');
      if (said !== '') {
        const asked = once(server, 'request');
        socket.write(said);
        await asked;
      }
      return socket;
    },
    connections: promisify(server.getConnections.bind(server)),
    async [Symbol.asyncDispose]() {
      await stopListening(server);
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('createBoundedServer() with TLS', { skip: needs('openssl') }, () => {
  test('closes idle connections of too many, none that is answered or kept', async () => {
    await using server = await tlsServer();
    const busy = [await server.open(get('/wait')), await server.open(post('/kept'))];
    const begun = await server.open(post('/wait'));
    const answered = await server.open(get('/'));

    const closed = [begun, answered].map((socket) => once(socket, 'close'));
    const idle: Socket[] = [];
    for (let count = 0; count < 20; count += 1) idle.push(await server.open());
    await Promise.all([...closed, ...idle.slice(0, 17).map(closing)]);

    assert.equal(await server.connections(), 5);
    assert.ok([...busy, ...idle.slice(17)].every(({ closed: isClosed }) => !isClosed));
    for (const socket of [...busy, ...idle]) socket.destroy();
  });

  test('goes on to close idle ones after more connections were answered than it keeps', async () => {
    await using server = await tlsServer();
    for (let count = 0; count < 10; count += 1) {
      const socket = await server.open(get('/'));
      socket.destroy();
      await closing(socket);
    }

    const idle: Socket[] = [];
    for (let count = 0; count < 6; count += 1) idle.push(await server.open());

    await Promise.all(idle.slice(0, 3).map(closing));
    for (const socket of idle) socket.destroy();
  });
});

async function closing(socket: Socket): Promise<void> {
  if (!socket.closed) await once(socket, 'close');
}

/** What a hasty server answers a client that says this and no more, until it ends the connection. */
async function heardAfter(said: string): Promise<string> {
  const server = createBoundedServer(
    { unfinishedBodies: 'silent', headersMs: 20, requestMs: 40, keepAliveMs: 20 },
    ({ url }, response) => {
      if (url !== '/never') setTimeout(() => response.end(url), url === '/later' ? 200 : 0);
    },
  );
  await startListening(server, { host: '127.0.0.1', port: 0 });
  const address = server.address();
  const socket = connect({
    host: '127.0.0.1',
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
  });
  let heard = '';
  socket.on('data', (data) => (heard += String(data)));
  socket.on('error', () => undefined);
  socket.write(said);
  await once(socket, 'close');
  await stopListening(server);
  return heard;
}

describe('createBoundedServer()', () => {
  for (const [what, said] of [
    ['says nothing', '\r\n'],
    ['does not end the headers', 'GET / HTTP/1.1\r\nHost: x\r\n'],
    ['does not end its body', post('/never')],
  ] as const) {
    test(`ends the connection of a client that ${what}`, async () => {
      assert.match(await heardAfter(said), /^HTTP\/1\.1 408 /);
    });
  }

  test('waits for its own answer however long it takes, and then ends an idle connection', async () => {
    assert.match(await heardAfter(get('/later')), /^HTTP\/1\.1 200 OK[^]*\/later/);
  });
});

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

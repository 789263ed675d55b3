import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  DaemonUnreachableError,
  FailedError,
  NotFoundError,
  UsageError,
} from '../../src/platform/errors.ts';
import { silentLog } from '../../src/platform/log.ts';
import { callDaemon } from '../../src/control/control-client.ts';
import type { ControlRoutes } from '../../src/control/control-server.ts';
import { listenForControl } from '../../src/control/control-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

async function control(routes: Partial<ControlRoutes>, subdirectory = '') {
  const directory = await temporaryDirectory();
  const place = join(directory.path, subdirectory);
  await mkdir(place, { recursive: true, mode: 0o700 });
  const paths = { socket: join(place, 's'), token: join(place, 'token') };
  const server = await listenForControl({ ...paths, routes, log: silentLog });
  return {
    ...paths,
    directory: place,
    async [Symbol.asyncDispose]() {
      await server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

/** The status a request without our client gets. */
function rawStatus(socketPath: string, path: string, authorization?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const outgoing = request({ socketPath, path, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

describe('control socket', () => {
  test('callDaemon() gets what the route answers, with path, query and body', async () => {
    const asked: unknown[] = [];
    await using daemon = await control({
      'POST /v1/queue-drop': ({ part, query, body }) => {
        asked.push(part, query.get('limit'), query.get('absent'), body);
        return Promise.resolve({ count: 1 });
      },
    });

    const answer = await callDaemon(daemon, 'POST /v1/queue-drop', {
      part: 'a/b',
      query: { limit: '3', absent: undefined },
      body: { ids: ['1'] },
    });

    assert.deepEqual(asked, ['a/b', '3', null, { ids: ['1'] }]);
    assert.deepEqual(answer, { count: 1 });
  });

  test('a request without the token, or with one byte off, is refused with 401 (fault 50)', async () => {
    await using daemon = await control({ 'GET /v1/agents': () => Promise.resolve([]) });
    const wrong = `Bearer ${'0'.repeat(64)}`;

    assert.equal(await rawStatus(daemon.socket, '/v1/agents'), 401);
    assert.equal(await rawStatus(daemon.socket, '/v1/agents', wrong), 401);
  });

  test('socket and token are readable by their owner alone (T1)', async () => {
    await using daemon = await control({});

    assert.equal((await stat(daemon.socket)).mode & 0o777, 0o600);
    assert.equal((await stat(daemon.token)).mode & 0o777, 0o600);
  });

  test('callDaemon() does not send its token to a program that cannot prove it knows it (T2)', async () => {
    await using directory = await temporaryDirectory();
    const paths = { socket: join(directory.path, 's'), token: join(directory.path, 'token') };
    await writeFile(paths.token, 'f'.repeat(64), { mode: 0o600 });
    const heard: string[] = [];
    const impostor = createServer((socket) => {
      socket.on('data', (data) => {
        heard.push(data.toString());
        socket.end('HTTP/1.1 200 OK\r\ncontent-length: 14\r\n\r\n{"proof":"00"}');
      });
    });
    await new Promise<void>((resolve) => impostor.listen(paths.socket, resolve));

    await assert.rejects(callDaemon(paths, 'GET /v1/agents'), DaemonUnreachableError);

    assert.equal(heard.length, 1);
    assert.ok(!heard.join('').includes('ffff'));
    await new Promise((resolve) => impostor.close(resolve));
  });

  test('a socket path longer than the system allows still works, and lies where it should', async () => {
    const routes: Partial<ControlRoutes> = { 'GET /v1/agents': () => Promise.resolve([]) };
    await using daemon = await control(routes, 'd'.repeat(120));

    assert.deepEqual(await callDaemon(daemon, 'GET /v1/agents'), []);
    assert.deepEqual((await readdir(daemon.directory)).toSorted(), ['s', 'token']);
    assert.equal((await stat(daemon.socket)).mode & 0o777, 0o600);
  });

  test('a closed server leaves neither socket nor token, however long their path', async () => {
    for (const length of [1, 120]) {
      await using directory = await temporaryDirectory();
      const place = join(directory.path, 'd'.repeat(length));
      await mkdir(place, { mode: 0o700 });
      const paths = { socket: join(place, 's'), token: join(place, 'token') };
      const server = await listenForControl({ ...paths, routes: {}, log: silentLog });

      await server.close();

      assert.deepEqual(await readdir(place), []);
    }
  });

  test('callDaemon() does not use a directory that others may enter (T2)', async () => {
    await using daemon = await control({ 'GET /v1/agents': () => Promise.resolve([]) });
    await chmod(daemon.directory, 0o755);

    await assert.rejects(callDaemon(daemon, 'GET /v1/agents'), /not a private directory/);
  });

  test('callDaemon() says that the daemon is not running when nothing listens', async () => {
    await using directory = await temporaryDirectory();
    const paths = { socket: join(directory.path, 's'), token: join(directory.path, 'token') };

    await assert.rejects(callDaemon(paths, 'GET /v1/agents'), {
      name: 'DaemonUnreachableError',
      message: 'Cannot reach the daemon: it is not running',
    });
  });

  test('callDaemon() says so when the daemon hangs (fault 7)', async () => {
    await using daemon = await control({ 'GET /v1/agents': () => new Promise(() => {}) });

    await assert.rejects(
      callDaemon(daemon, 'GET /v1/agents', { timeoutMs: 50 }),
      /running but does not respond in time/,
    );
  });

  test('errors for the caller keep their class, message and hint; bugs are not disclosed', async () => {
    await using daemon = await control({
      'GET /v1/events': () => Promise.reject(new NotFoundError('No event "x"', { hint: 'Look' })),
      'GET /v1/queue': () => Promise.reject(new UsageError('Wrong word')),
      'GET /v1/history': () => Promise.reject(new Error('secret inside')),
    });

    await assert.rejects(callDaemon(daemon, 'GET /v1/events'), {
      name: 'NotFoundError',
      message: 'No event "x"',
      hint: 'Look',
    });
    await assert.rejects(callDaemon(daemon, 'GET /v1/queue'), UsageError);
    await assert.rejects(callDaemon(daemon, 'GET /v1/history'), {
      message: 'The daemon cannot handle the request; see "hookbell logs"',
    });
  });

  test('callDaemon() does not follow a link in place of the token, and sends nothing', async () => {
    await using daemon = await control({ 'GET /v1/agents': () => Promise.resolve([]) });
    const elsewhere = join(daemon.directory, 'elsewhere');
    await rename(daemon.token, elsewhere);
    await symlink(elsewhere, daemon.token);

    await assert.rejects(callDaemon(daemon, 'GET /v1/agents'), {
      name: 'DaemonUnreachableError',
      message: 'Cannot reach the daemon: it is not running',
    });
  });

  test('callDaemon() says that the daemon is not running without its directory', async () => {
    await using directory = await temporaryDirectory();
    const place = join(directory.path, 'run');
    const paths = { socket: join(place, 's'), token: join(place, 'token') };

    await assert.rejects(callDaemon(paths, 'GET /v1/agents'), {
      name: 'DaemonUnreachableError',
      message: 'Cannot reach the daemon: it is not running',
      hint: 'Run "hookbell start", or "hookbell doctor" for details',
    });
  });

  for (const [name, answer, message] of [
    [
      'breaks the connection',
      (socket: Socket) => socket.destroy(),
      'Cannot reach the daemon: the connection was lost',
    ],
    [
      'sends no proof',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]'),
      'Cannot reach the daemon: another program answers on its socket',
    ],
    [
      'sends a number',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n7'),
      'Cannot reach the daemon: another program answers on its socket',
    ],
  ] as const) {
    test(`callDaemon() does not trust a listener that ${name}`, async () => {
      await using directory = await temporaryDirectory();
      const paths = { socket: join(directory.path, 's'), token: join(directory.path, 'token') };
      await writeFile(paths.token, 'f'.repeat(64), { mode: 0o600 });
      const listener = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => answer(socket));
      });
      await new Promise<void>((resolve) => listener.listen(paths.socket, resolve));

      await assert.rejects(callDaemon(paths, 'GET /v1/agents'), {
        name: 'DaemonUnreachableError',
        message,
      });

      await new Promise((resolve) => listener.close(resolve));
    });
  }

  test('callDaemon() ends early when it is cancelled, also before it began', async () => {
    const cancel = new AbortController();
    await using daemon = await control({
      'GET /v1/agents': () => {
        cancel.abort();
        return new Promise(() => {});
      },
    });

    for (const signal of [cancel.signal, AbortSignal.abort()]) {
      await assert.rejects(callDaemon(daemon, 'GET /v1/agents', { signal }), {
        name: 'DaemonUnreachableError',
      });
    }
  });

  test('an error of the daemon without a hint has none here', async () => {
    await using daemon = await control({
      'GET /v1/agents': () => Promise.reject(new FailedError('The store is full')),
    });

    await assert.rejects(callDaemon(daemon, 'GET /v1/agents'), (error) => {
      assert.ok(error instanceof FailedError);
      assert.deepEqual([error.message, error.hint], ['The store is full', null]);
      return true;
    });
  });

  test('a body over 1 MB is refused and the daemon goes on (fault 57)', async () => {
    await using daemon = await control({
      'POST /v1/queue-drop': () => Promise.resolve({ count: 0 }),
    });
    const body = 'x'.repeat(1_100_000);

    await assert.rejects(callDaemon(daemon, 'POST /v1/queue-drop', { body }));

    assert.deepEqual(await callDaemon(daemon, 'POST /v1/queue-drop'), { count: 0 });
  });

  test('1,000 idle connections, half requests and single bytes keep no honest client out (fault 57)', async () => {
    await using daemon = await control({
      'GET /v1/agents': () => Promise.resolve([]),
    });
    const starts = [
      '',
      'G',
      'GET /v1/agents HTTP/1.1\r\n',
      'GET /v1/agents HTTP/1.1\r\nhost: x\r\nx',
    ];
    const sockets: Socket[] = [];

    for (let count = 0; count < 1_000; count += 1) {
      const socket = connect(daemon.socket);
      socket.on('error', () => undefined);
      socket.write(starts[count % starts.length] ?? '');
      sockets.push(socket);
      if (count % 200 === 199) assert.deepEqual(await callDaemon(daemon, 'GET /v1/agents'), []);
    }

    assert.deepEqual(await callDaemon(daemon, 'GET /v1/agents'), []);
    for (const socket of sockets) socket.destroy();
  });

  test('whatever is written to the socket, the next honest client is answered (faults 46, 57)', async () => {
    await using daemon = await control({
      'GET /v1/agents': () => Promise.resolve([]),
    });
    const garbage = [
      '\0\0\0',
      'GET / HTTP/9.9\r\n\r\n',
      'GET //v1/%ff HTTP/1.1\r\nhost: x\r\n\r\n',
      'GET http://[ HTTP/1.1\r\nhost: x\r\n\r\n',
      `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n\r\n`,
      'POST /v1/ack HTTP/1.1\r\nhost: x\r\ncontent-length: 100000000\r\n\r\nx',
      'POST /v1/ack HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    ];
    for (const bytes of garbage) {
      const socket = connect(daemon.socket);
      socket.on('error', () => undefined);
      socket.end(bytes);
      socket.resume();
      await new Promise((resolve) => socket.once('close', resolve));

      assert.deepEqual(await callDaemon(daemon, 'GET /v1/agents'), [], bytes.slice(0, 40));
    }
  });

  test('a socket left behind by a killed daemon is replaced', async () => {
    await using directory = await temporaryDirectory();
    const paths = { socket: join(directory.path, 's'), token: join(directory.path, 'token') };
    await mkdir(directory.path, { recursive: true });
    await writeFile(paths.socket, '');

    const server = await listenForControl({
      ...paths,
      routes: { 'GET /v1/agents': () => Promise.resolve([]) },
      log: silentLog,
    });

    assert.deepEqual(await callDaemon(paths, 'GET /v1/agents'), []);
    await server.close();
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { sha256 } from '../../src/platform/crypto.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { Admission } from '../../src/relay/authenticator.ts';
import { createBodyRoom } from '../../src/relay/body-room.ts';
import type { Entrance } from '../../src/relay/entrance.ts';
import { createRelayServer } from '../../src/relay/relay-server.ts';
import { signAnswer } from '../../src/relay/signature.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const KEY = 'f'.repeat(64);
const NONCE = 'a'.repeat(32);
const machine = { name: 'desk', key: KEY };

/** A server whose entrance admits as the test says; it has a route for machines, and one for all. */
async function scene(fields: Partial<Entrance> = {}) {
  const directory = await temporaryDirectory();
  const socketPath = join(directory.path, 's');
  const contacts: string[] = [];
  const seen: unknown[] = [];
  const server = createRelayServer(
    {
      entrance: {
        admit: () => Promise.resolve({ type: 'admitted', machine, person: 'ada@example.com' }),
        routes: {
          'POST /events': {
            mostBytes: 100,
            handle(peer, body) {
              seen.push(peer, Buffer.from(body).toString());
              return Promise.resolve({ status: 200, body: { ok: true } });
            },
          },
          'POST /broken': { mostBytes: 100, handle: () => Promise.reject(new TypeError('A bug')) },
        },
        openRoutes: {
          'POST /enrol': {
            mostBytes: 10,
            handle(address, body) {
              seen.push(address, Buffer.from(body).toString());
              return Promise.resolve({
                status: 429,
                body: { error: 'rate' },
                retryAfterSeconds: 7,
              });
            },
          },
        },
        ...fields,
      },
      bodies: createBodyRoom(),
      onContact: (name) => void contacts.push(name),
      now: () => 5_000,
      log: silentLog,
    },
    { tls: null, isHub: true },
  );
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    contacts,
    seen,
    /** @param headers a null takes one away that is sent otherwise */
    async ask(path: string, body: string, headers: Readonly<Record<string, string | null>> = {}) {
      const all = {
        'hookbell-machine': 'desk',
        'hookbell-time': '5000',
        'hookbell-nonce': NONCE,
        'hookbell-body': sha256(body),
        'hookbell-signature': 'b'.repeat(64),
        'content-length': String(Buffer.byteLength(body)),
        ...headers,
      };
      const sent = Object.entries(all).filter((one): one is [string, string] => one[1] !== null);
      const asking = request({
        socketPath,
        path,
        method: 'POST',
        agent: false,
        headers: Object.fromEntries(sent),
      });
      asking.on('error', () => undefined);
      asking.end(body);
      const answer = await new Promise<IncomingMessage>((resolve) =>
        asking.on('response', resolve),
      );
      const { statusCode: status = 0, headers: given } = answer;
      const said = await text(answer);
      const signature = signAnswer(KEY, { nonce: NONCE, status, body: sha256(said) });
      return {
        status,
        body: JSON.parse(said),
        retryAfter: given['retry-after'] ?? null,
        isSigned: given['hookbell-signature'] === signature,
      };
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('receiveRequest()', () => {
  test('lets the route handle the request of a machine, and signs the answer', async () => {
    await using place = await scene();

    const answer = await place.ask('/events', '{}');

    assert.deepEqual(answer, { status: 200, body: { ok: true }, retryAfter: null, isSigned: true });
    assert.deepEqual(place.contacts, ['desk']);
    assert.deepEqual(place.seen, [{ machine: 'desk', person: 'ada@example.com' }, '{}']);
  });

  const busy = { status: 503, body: { error: 'busy' }, retryAfter: '5' };
  const rows: readonly (readonly [Admission, object])[] = [
    [{ type: 'stranger' }, { status: 401, body: { error: 'token' }, isSigned: false }],
    [
      { type: 'refused', machine, error: 'clock', now: 7 },
      { status: 409, body: { error: 'clock', now: 7 } },
    ],
    [
      { type: 'refused', machine, error: 'clock' },
      { status: 409, body: { error: 'clock', now: 5_000 } },
    ],
    [
      { type: 'refused', machine, error: 'replay' },
      { status: 409, body: { error: 'replay' } },
    ],
    [{ type: 'refused', machine, error: 'busy' }, busy],
    [
      { type: 'refused', machine, error: 'rate' },
      { status: 429, body: { error: 'rate' }, retryAfter: '1' },
    ],
  ];
  for (const [admission, answer] of rows) {
    test(`answers ${JSON.stringify(answer)} and takes no event`, async () => {
      await using place = await scene({ admit: () => Promise.resolve(admission) });

      const got = await place.ask('/events', '{}');

      assert.deepEqual(got, { retryAfter: null, isSigned: true, ...answer });
      assert.deepEqual([place.contacts, place.seen], [[], []]);
    });
  }

  for (const name of ['machine', 'time', 'nonce', 'body', 'signature']) {
    test(`counts a request without its ${name} as that of a stranger`, async () => {
      await using place = await scene();

      const { status, body } = await place.ask('/events', '{}', { [`hookbell-${name}`]: null });

      assert.deepEqual([status, body, place.seen], [401, { error: 'token' }, []]);
    });
  }

  const large = { status: 413, body: { error: 'too-large' }, retryAfter: null };
  for (const [name, path, size, headers, isSigned] of [
    ['a body with a length', '/events', 101, {}, true],
    ['a body of unknown length', '/events', 101, { 'transfer-encoding': 'chunked' }, true],
    ['an unsigned body with a length', '/enrol', 11, {}, false],
    ['an unsigned body of unknown length', '/enrol', 11, { 'transfer-encoding': 'chunked' }, false],
  ] as const) {
    test(`refuses ${name} that is too large`, async () => {
      await using place = await scene();
      const isChunked = 'transfer-encoding' in headers;
      const sent = { ...headers, ...(isChunked ? { 'content-length': null } : {}) };

      const answer = await place.ask(path, 'x'.repeat(size), sent);

      assert.deepEqual(answer, { ...large, isSigned });
      assert.deepEqual(place.seen, []);
    });
  }

  test('takes a body of unknown length that fits, and an empty one', async () => {
    await using place = await scene();

    const chunked = { 'transfer-encoding': 'chunked', 'content-length': null };
    const [fits, empty] = [
      await place.ask('/events', '{}', chunked),
      await place.ask('/events', ''),
    ];

    assert.deepEqual([fits.status, empty.status], [200, 200]);
    assert.deepEqual([place.seen[1], place.seen[3]], ['{}', '']);
  });

  test('handles an open request without a signature, with the address that it comes from', async () => {
    await using place = await scene({
      clientOf: (peer, forwardedFor) => `${peer} for ${forwardedFor}`,
    });

    const answer = await place.ask('/enrol', 'code', { 'x-forwarded-for': '10.0.0.1, 10.0.0.2' });
    await place.ask('/enrol', 'code');

    const body = { error: 'rate' };
    assert.deepEqual(answer, { status: 429, body, retryAfter: '7', isSigned: false });
    assert.deepEqual(place.seen, ['socket for 10.0.0.1, 10.0.0.2', 'code', 'socket for ', 'code']);
  });

  test('answers 503 at a fault, and goes on', async () => {
    await using place = await scene();

    const failed = await place.ask('/broken', '{}');
    const next = await place.ask('/events', '{}');

    assert.deepEqual(failed, { ...busy, isSigned: false });
    assert.equal(next.status, 200);
  });

  test('answers 404 to a machine that asks for something else', async () => {
    await using place = await scene();

    const { status, body, isSigned } = await place.ask('/stop', '{}');

    assert.deepEqual([status, body, isSigned], [404, { error: 'unknown' }, true]);
  });
});

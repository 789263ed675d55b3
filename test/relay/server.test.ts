import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { sha256 } from '../../src/platform/crypto.ts';
import { StoreError } from '../../src/core/store-aging.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { createBodyRoom } from '../../src/relay/body-room.ts';
import { type EventRoutesOptions, pairedEntrance } from '../../src/relay/event-routes.ts';
import { createLink, type RelayLink } from '../../src/relay/link.ts';
import type { PairedMachine } from '../../src/relay/machines.ts';
import { createRelayServer } from '../../src/relay/relay-server.ts';
import { signAnswer, signRequest } from '../../src/relay/signature.ts';
import { makeToken, readToken, type RelayToken } from '../../src/relay/token.ts';
import { EVENTS, HELLO, MAX_BODY } from '../../src/relay/wire.ts';
import { until } from '../support/hookbell-home.ts';
import { sampleRecord } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NEVER = new AbortController().signal;

function tokenOf(fill: number): RelayToken {
  const token = readToken(makeToken('devbox', new Uint8Array(32).fill(fill)));
  assert.ok(token);
  return token;
}

interface Scene extends AsyncDisposable {
  readonly socket: string;
  readonly token: RelayToken;
  readonly machines: PairedMachine[];
  /** Ids of the events that were taken. */
  readonly taken: string[];
  link(token?: RelayToken, now?: () => number): RelayLink;
}

/** A server on a unix socket with which "devbox" is paired. */
async function scene(fields: Partial<EventRoutesOptions> = {}): Promise<Scene> {
  const token = tokenOf(1);
  const machines: PairedMachine[] = [
    { name: 'devbox', key: token.key, scope: 'events', pairedAt: 0 },
  ];
  const taken: string[] = [];
  const server = createRelayServer(
    {
      entrance: pairedEntrance({
        machines: () => Promise.resolve(machines),
        take: (_machine, events) => {
          taken.push(...events.map(({ id }) => id));
          return Promise.resolve(events.map(({ id }) => ({ id, verdict: 'committed' as const })));
        },
        now: Date.now,
        log: silentLog,
        ...fields,
      }),
      bodies: createBodyRoom(),
      onContact: () => {},
      now: Date.now,
      log: silentLog,
    },
    { tls: null, isHub: false },
  );
  const listening = await listen(server);
  const links: RelayLink[] = [];
  return {
    socket: listening.socket,
    token,
    machines,
    taken,
    link(own = token, now = Date.now) {
      const address = { type: 'socket' as const, path: listening.socket };
      const made = createLink({
        outbound: createOutbound({ env: {} }),
        address,
        certificate: null,
        token: own,
        now,
        timeoutMs: 5_000,
      });
      links.push(made);
      return made;
    },
    async [Symbol.asyncDispose]() {
      for (const made of links) made.close();
      await listening[Symbol.asyncDispose]();
    },
  };
}

async function listen(server: Server): Promise<AsyncDisposable & { readonly socket: string }> {
  const directory = await temporaryDirectory();
  const socket = join(directory.path, 's');
  server.listen(socket);
  await once(server, 'listening');
  return {
    socket,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

interface Raw {
  readonly method?: string;
  readonly path?: string;
  readonly body?: string;
  /** What is sent instead of the body that was signed. */
  readonly sent?: string;
  readonly nonce?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The head of a request made by hand, and what is to follow it. */
function begin(
  { socket, token }: Pick<Scene, 'socket' | 'token'>,
  {
    method = 'POST',
    path = EVENTS,
    body = '{"version":1,"events":[]}',
    sent = body,
    nonce = 'a'.repeat(32),
    headers = {},
  }: Raw,
): { readonly asking: ClientRequest; readonly sent: string } {
  const time = String(Date.now());
  const said = { method, path, machine: 'devbox', time, nonce, body: sha256(body) };
  const asking = request({
    socketPath: socket,
    method,
    path,
    agent: false,
    headers: {
      'hookbell-machine': said.machine,
      'hookbell-time': time,
      'hookbell-nonce': nonce,
      'hookbell-body': said.body,
      'hookbell-signature': signRequest(token.key, said),
      'content-length': String(Buffer.byteLength(sent)),
      ...headers,
    },
  });
  asking.on('error', () => undefined);
  return { asking, sent };
}

/** A request made by hand. */
async function ask(
  place: Pick<Scene, 'socket' | 'token'>,
  raw: Raw,
): Promise<{ readonly status: number; readonly body: string }> {
  const { asking, sent } = begin(place, raw);
  asking.end(sent);
  const answer = await new Promise<IncomingMessage>((resolve) => asking.on('response', resolve));
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

describe('createRelayServer() and createLink()', () => {
  test('hand events from one machine to the other', async () => {
    await using place = await scene();
    const link = place.link();

    const greeted = await link.greet(NEVER);
    const sent = await link.send([sampleRecord({ id: 'one' }), sampleRecord({ id: 'two' })], NEVER);

    assert.deepEqual(greeted, { type: 'ok', machine: 'devbox', isHub: false });
    assert.equal(sent.type, 'ok');
    assert.deepEqual(place.taken, ['one', 'two']);
  });

  test('a wrong token is refused, and nothing is taken', async () => {
    await using place = await scene();

    const sent = await place.link(tokenOf(2)).send([sampleRecord()], NEVER);

    assert.equal(sent.type, 'refused');
    assert.deepEqual(place.taken, []);
  });

  test('a token that is revoked between two batches is refused', async () => {
    await using place = await scene();
    const link = place.link();
    assert.equal((await link.send([sampleRecord()], NEVER)).type, 'ok');
    place.machines.length = 0;

    const first = await link.send([sampleRecord()], NEVER);
    const second = first.type === 'refused' ? first : await link.send([sampleRecord()], NEVER);

    assert.equal(second.type, 'refused');
    assert.equal(place.taken.length, 1);
  });

  test('a clock that is behind is reported with its difference', async () => {
    await using place = await scene();

    const greeted = await place.link(place.token, () => Date.now() - 600_000).greet(NEVER);

    assert.equal(greeted.type, 'clock');
    assert.ok(Math.abs(greeted.aheadMs + 600_000) < 10_000, String(greeted.aheadMs));
  });

  test('a store that cannot write makes the far side wait, and the batch comes again', async () => {
    const full = new StoreError('full', 'No space left');
    await using place = await scene({ take: () => Promise.reject(full) });

    const sent = await place.link().send([sampleRecord()], NEVER);

    assert.equal(sent.type, 'later');
    assert.equal(sent.afterMs, 5_000);
  });

  test('no event reaches a client without the token, even on the same socket', async () => {
    const seen: string[] = [];
    const answer = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
      seen.push(`${asked.url} ${await text(asked)}`);
      response.writeHead(200, { 'hookbell-signature': '0'.repeat(64) });
      response.end('{"version":1,"machine":"devbox","results":[]}');
    };
    const impostor = createServer((asked, response) => void answer(asked, response));
    await using listening = await listen(impostor);
    const address = { type: 'socket' as const, path: listening.socket };
    const link = createLink({
      outbound: createOutbound({ env: {} }),
      address,
      certificate: null,
      token: tokenOf(1),
      now: Date.now,
    });

    const sent = await link.send([sampleRecord({}, '{"secret":1}')], NEVER);
    link.close();

    assert.equal(sent.type, 'unreachable');
    assert.match(sent.reason, /does not know the token/);
    assert.deepEqual(seen, [`${HELLO} `]);
  });

  test('a response that was changed in transit is rejected', async () => {
    const token = tokenOf(1);
    const liar = createServer((asked, response) => {
      const nonce = String(asked.headers['hookbell-nonce']);
      const body = '{"version":1,"machine":"devbox"}';
      const signature = signAnswer(token.key, { nonce, status: 200, body: sha256(body) });
      response.writeHead(200, { 'hookbell-signature': signature });
      response.end(body.replace('devbox', 'evil42'));
    });
    await using listening = await listen(liar);
    const address = { type: 'socket' as const, path: listening.socket };
    const link = createLink({
      outbound: createOutbound({ env: {} }),
      address,
      certificate: null,
      token,
      now: Date.now,
    });

    const greeted = await link.greet(NEVER);
    link.close();

    assert.equal(greeted.type, 'unreachable');
  });

  test('no socket, and a socket without a listener, are unreachable', async () => {
    await using directory = await temporaryDirectory();
    const address = { type: 'socket' as const, path: join(directory.path, 'none') };
    const link = createLink({
      outbound: createOutbound({ env: {} }),
      address,
      certificate: null,
      token: tokenOf(1),
      now: Date.now,
    });

    assert.deepEqual(await link.greet(NEVER), {
      type: 'unreachable',
      reason: 'its socket does not exist',
    });
  });
});

describe('receive() refuses', () => {
  test('a request that is replayed, byte for byte', async () => {
    await using place = await scene();
    const event = { id: 'one' };
    const body = JSON.stringify({ version: 1, events: [event] });

    const first = await ask(place, { body });
    const again = await ask(place, { body });

    assert.equal(first.status, 200);
    assert.deepEqual(again, { status: 409, body: '{"error":"replay"}' });
    assert.deepEqual(place.taken, ['one']);
  });

  test('a body that is not the one that was signed', async () => {
    await using place = await scene();

    const answer = await ask(place, { sent: '{"version":1,"events":[{"id":"forged"}]}' });

    assert.deepEqual(answer, { status: 400, body: '{"error":"malformed"}' });
    assert.deepEqual(place.taken, []);
  });

  const unsigned: readonly (readonly [string, Raw])[] = [
    ['without a signature', { headers: { 'hookbell-signature': '' } }],
    ['with the signature of another path', { headers: { 'hookbell-nonce': 'b'.repeat(32) } }],
    ['with a header that is no such header', { headers: { 'hookbell-time': 'now' } }],
    ['in the name of an unknown machine', { headers: { 'hookbell-machine': 'nobody' } }],
    ['with a name that no machine can have', { headers: { 'hookbell-machine': 'a b' } }],
    ['with a hash that is too short', { headers: { 'hookbell-body': 'abc' } }],
  ];
  for (const [name, raw] of unsigned) {
    test(`a request ${name}`, async () => {
      await using place = await scene();

      assert.deepEqual(await ask(place, raw), { status: 401, body: '{"error":"token"}' });
    });
  }

  test('everything but a greeting and events: a paired machine has no say here', async () => {
    await using place = await scene();
    const paths = ['/v1/stop', '/v1/status', '/v1/ack', '/v1/events', `${EVENTS}/x`];

    for (const [index, path] of paths.entries()) {
      const nonce = String(index).padStart(32, '0');
      assert.equal((await ask(place, { path, nonce })).status, 404, path);
    }
  });

  test('a body that is too large, before it was read', async () => {
    await using place = await scene();

    const answer = await ask(place, {
      headers: { 'content-length': String(MAX_BODY + 1) },
    });

    assert.equal(answer.status, 413);
  });

  test('all unfinished bodies of one machine but the last (D14)', async () => {
    await using place = await scene();
    const wanted = 6;
    let closed = 0;

    for (let index = 0; index < wanted; index += 1) {
      const { asking } = begin(place, {
        nonce: String(index).padStart(32, '0'),
        headers: { 'content-length': String(MAX_BODY) },
      });
      asking.on('close', () => {
        closed += 1;
      });
      await new Promise((resolve) => asking.write('{'.repeat(100_000), resolve));
    }

    await until(() => closed >= wanted - 1);
    assert.equal(closed, wanted - 1);
  });

  test('a body that is not a batch', async () => {
    await using place = await scene();
    const bodies = ['', 'null', '[]', '{"version":2,"events":[]}', '{"version":1}', '\u0000'];

    for (const [index, body] of bodies.entries()) {
      const nonce = String(index).padStart(32, '0');
      assert.equal((await ask(place, { body, nonce })).status, 400, body);
    }
  });

  test('silent connections, when they are too many, and goes on to serve those that ask', async () => {
    await using place = await scene();
    const silent = Array.from({ length: 40 }, () => connect(place.socket).on('error', () => {}));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));

    const greeted = await place.link().greet(NEVER);

    assert.equal(greeted.type, 'ok');
    for (const socket of silent) socket.destroy();
  });
});

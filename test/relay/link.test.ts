import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';

import { sha256 } from '../../src/platform/crypto.ts';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import type { Report } from '../../src/relay/exchange-wire.ts';
import { createLink } from '../../src/relay/link.ts';
import { signAnswer } from '../../src/relay/signature.ts';
import { makeToken, readToken } from '../../src/relay/token.ts';
import { HELLO } from '../../src/relay/wire.ts';
import { certificateIn } from '../support/certificate.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { sampleRecord } from '../support/store.ts';
import { needs } from '../support/system-part.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const NEVER = new AbortController().signal;
const token = readToken(makeToken('devbox', new Uint8Array(32).fill(1)));
assert.ok(token);
const report: Report = { version: 1, waitMs: 0, at: 1, outcomes: [] };

const misread = {
  type: 'misunderstood',
  reason: 'its response cannot be read: hookbell here may be older',
};

function older(error: string): object {
  const reason = `it does not understand the request (${error}): hookbell there may be older`;
  return { type: 'misunderstood', reason };
}

function later(afterMs: number): object {
  return { type: 'later', reason: 'it cannot accept events now', afterMs };
}

async function linkTo(server: Server, timeoutMs = 5_000) {
  const directory = await temporaryDirectory();
  const path = join(directory.path, 's');
  server.listen(path);
  await once(server, 'listening');
  assert.ok(token);
  const link = createLink({
    outbound: createOutbound({ env: {} }),
    address: { type: 'socket', path },
    certificate: null,
    token,
    now: Date.now,
    timeoutMs,
  });
  return {
    ...link,
    async [Symbol.asyncDispose]() {
      link.close();
      server.closeAllConnections();
      server.close();
      await directory[Symbol.asyncDispose]();
    },
  };
}

describe('createLink() understands', () => {
  const rows: readonly {
    readonly name: string;
    readonly status: number;
    readonly body: string;
    readonly retryAfter?: string;
    readonly result: object;
  }[] = [
    { name: 'a busy machine', status: 503, body: '{"error":"busy"}', result: later(5_000) },
    { name: 'a rate limit', status: 429, body: '{}', retryAfter: '9', result: later(9_000) },
    { name: 'a replay', status: 409, body: '{"error":"replay"}', result: later(5_000) },
    { name: 'an unknown path', status: 404, body: '{"error":"unknown"}', result: older('unknown') },
    { name: 'a status without a body', status: 418, body: '', result: older('status 418') },
    {
      name: 'a clock without a time',
      status: 409,
      body: '{"error":"clock"}',
      result: older('clock'),
    },
    { name: 'a response without its fields', status: 200, body: '{"version":1}', result: misread },
    { name: 'a response that is not JSON', status: 200, body: '<html>', result: misread },
  ];
  for (const { name, status, body, retryAfter, result } of rows) {
    test(`${name}, to each request`, async () => {
      const remote = createServer((asked, response) => {
        void (async () => {
          await text(asked);
          const answer =
            isGreeted && asked.url === HELLO
              ? { status: 200, body: '{"version":1,"machine":"devbox","hub":true}' }
              : { status, body };
          const nonce = String(asked.headers['hookbell-nonce']);
          response.writeHead(answer.status, {
            'hookbell-signature': signAnswer(token?.key ?? '', {
              nonce,
              status: answer.status,
              body: sha256(answer.body),
            }),
            ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
          });
          response.end(answer.body);
        })();
      });
      let isGreeted = false;
      await using link = await linkTo(remote);

      const greeted = await link.greet(NEVER);
      isGreeted = true;
      const sent = await link.send([sampleRecord()], NEVER);
      const exchanged = await link.exchange(report, NEVER);
      const asked = await link.ask('/v1/hub/me', {}, NEVER);

      assert.deepEqual([greeted, sent, exchanged], [result, result, result]);
      // What a hub answers to a single request is checked by the caller.
      if (status === 200) assert.equal(asked.type, 'ok');
      else assert.deepEqual(asked, result);
    });
  }

  test('a remote that is silent, hangs up, or sends too much as unreachable', async () => {
    const answers: ((response: ServerResponse) => void)[] = [
      () => {},
      (response) => response.destroy(),
      (response) => response.end(Buffer.alloc(1024 * 1024 + 1, ' ')),
    ];
    const remote = createServer((_asked, response) => answers.shift()?.(response));
    await using link = await linkTo(remote, 200);

    const silent = await link.greet(NEVER);
    const cut = await link.send([sampleRecord()], NEVER);
    const large = await link.exchange(report, NEVER);
    const stopped = await link.ask('/v1/hub/me', {}, AbortSignal.abort());

    assert.deepEqual(
      [silent.type, cut.type, large.type],
      ['unreachable', 'unreachable', 'unreachable'],
    );
    const inTime = { type: 'unreachable', reason: 'it did not respond in time' };
    assert.deepEqual([silent, stopped], [inTime, inTime]);
  });
});

test(
  'createLink() signs requests to the one certificate that is trusted, and to no other',
  { skip: needs('openssl') },
  async () => {
    await using directory = await temporaryDirectory();
    const { certificate, key } = await certificateIn(directory.path, 'home');
    const cert = await readFile(certificate, 'utf8');
    await using home = await openHttpEndpoint({ cert, key: await readFile(key, 'utf8') });
    home.answer({ status: 401, body: '{"error":"token"}' });
    const linkWith = (pem: string | null) => {
      assert.ok(token);
      return createLink({
        outbound: createOutbound({ env: {} }),
        address: { type: 'url', secure: true, host: 'localhost', port: home.port },
        certificate: pem,
        token,
        now: Date.now,
      });
    };
    const [unknown, trusted] = [linkWith(null), linkWith(cert)];

    const refused = await unknown.greet(NEVER);
    const before = home.requests.length;
    const greeted = await trusted.greet(NEVER);
    unknown.close();
    trusted.close();

    assert.deepEqual([refused.type, before], ['unreachable', 0]);
    assert.deepEqual(greeted, {
      type: 'refused',
      reason: 'it rejected the token: it is wrong, or was revoked',
    });
  },
);

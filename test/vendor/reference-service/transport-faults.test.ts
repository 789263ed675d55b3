import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';

import type { Effect } from '../../support/reference-service/faults/effects.ts';
import type { Mock } from '../../support/reference-service/reference-server.ts';
import { until } from '../../support/until.ts';
import { ask, NOW, openMock } from './ask.ts';

const COMPUTERS = '/api/v0/computers';

/** What a raw client sees: fetch would hide or repair some of it. */
async function raw(mock: Mock, effect: Effect): Promise<IncomingMessage> {
  const asked = request(mock.baseUrl + COMPUTERS, {
    agent: false,
    headers: {
      authorization: `Bearer ${mock.keys.owner}`,
      'x-ref-fault': JSON.stringify(effect),
    },
  });
  asked.end();
  const [response] = await once(asked, 'response');
  return response;
}

async function bytesOf(response: IncomingMessage): Promise<{ bytes: Buffer; code: unknown }> {
  const chunks: Buffer[] = [];
  let code: unknown;
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.on('error', (error: NodeJS.ErrnoException) => (code = error.code));
  await once(response, 'close').catch(() => null);
  return { bytes: Buffer.concat(chunks), code };
}

async function askWith(mock: Mock, effect: Effect) {
  return ask(mock, COMPUTERS, { headers: { 'x-ref-fault': JSON.stringify(effect) } });
}

async function codeOf(failing: Promise<unknown>): Promise<unknown> {
  try {
    await failing;
    return 'none';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return cause instanceof Error && 'code' in cause ? cause.code : String(error);
  }
}

/** Adds a message to a session that meets an effect; returns whether it arrived. */
async function post(mock: Mock, effect: Effect, signal?: AbortSignal) {
  const session = mock.state().sessions[10];
  const before = session?.messages.length ?? 0;
  const outcome = await codeOf(
    ask(mock, `/api/v0/sessions/${session?.sessionId}/messages`, {
      method: 'POST',
      body: { text: 'Once' },
      headers: { 'x-ref-fault': JSON.stringify(effect) },
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  return { outcome, added: (session?.messages.length ?? 0) - before };
}

test('reset before: the connection breaks and nothing took effect', async () => {
  await using mock = await openMock();

  const { outcome, added } = await post(mock, { kind: 'reset', when: 'before' });

  assert.deepEqual([outcome, added], ['ECONNRESET', 0]);
  assert.equal(mock.requests()[0]?.decided, null);
});

test('reset after: the connection breaks, yet the message was added', async () => {
  await using mock = await openMock();

  const { outcome, added } = await post(mock, { kind: 'reset', when: 'after' });

  assert.deepEqual([outcome, added], ['ECONNRESET', 1]);
  assert.deepEqual([mock.requests()[0]?.decided, mock.requests()[0]?.sent], [200, null]);
});

for (const [when, expected] of [
  ['before', 0],
  ['after', 1],
] as const) {
  test(`hang ${when}: no response, and ${expected} message was added`, async () => {
    await using mock = await openMock();
    const patience = new AbortController();

    const posted = post(mock, { kind: 'hang', when }, patience.signal);
    const reached = when === 'before' ? null : 200;
    await until(() => mock.requests()[0]?.decided === reached);
    patience.abort();

    assert.equal((await posted).added, expected);
    assert.equal(mock.requests()[0]?.sent, null);
  });

  test(`status ${when}: a 504 is answered, and ${expected} message was added`, async () => {
    await using mock = await openMock();

    const { added } = await post(mock, { kind: 'status', status: 504, when });

    assert.equal(mock.requests()[0]?.sent, 504);
    assert.equal(added, expected);
  });
}

test('status: body and headers are as set, html as a proxy sends it', async () => {
  await using mock = await openMock();

  const own = await askWith(mock, { kind: 'status', status: 500 });
  const html = await askWith(mock, { kind: 'status', status: 502, body: 'html' });
  const none = await askWith(mock, { kind: 'status', status: 503, body: 'nothing' });
  const teapot = await askWith(mock, { kind: 'status', status: 418, headers: { 'x-a': 'b' } });

  assert.match(own.text, /The fault asked for status 500/);
  assert.match(html.text, /^<!doctype html>/);
  assert.equal(html.headers.get('content-type'), 'text/html');
  assert.deepEqual([none.status, none.text], [503, '']);
  assert.deepEqual([teapot.status, teapot.headers.get('x-a')], [418, 'b']);
});

for (const [form, header, expected] of [
  ['seconds', 'retry-after', '90'],
  ['imf-date', 'retry-after', 'Wed, 15 Jul 2026 12:01:30 GMT'],
  ['rfc850-date', 'retry-after', 'Wednesday, 15-Jul-26 12:01:30 GMT'],
  ['asctime-date', 'retry-after', 'Wed Jul 15 12:01:30 2026'],
  ['milliseconds', 'retry-after-ms', '90000'],
  ['rate-limit-reset', 'ratelimit-reset', '90'],
] as const) {
  test(`Retry-After as ${form}: ${header}: ${expected}`, async () => {
    await using mock = await openMock();

    const { status, headers } = await askWith(mock, {
      kind: 'status',
      status: 429,
      retryAfter: { form, seconds: 90 },
    });

    assert.equal(status, 429);
    assert.equal(headers.get(header), expected);
    assert.equal(headers.get('date'), new Date(NOW).toUTCString());
  });
}

test('redirect: another address is named, and nothing took effect', async () => {
  await using mock = await openMock();

  const { status, headers } = await askWith(mock, { kind: 'redirect', to: 'https://a.example/' });

  assert.deepEqual([status, headers.get('location')], [302, 'https://a.example/']);
  assert.equal(mock.requests()[0]?.decided, null);
});

test('latency: the answer comes, whole, after the pause', async () => {
  await using mock = await openMock();

  const { status, json } = await askWith(mock, { kind: 'latency', ms: 30 });

  assert.equal(status, 200);
  assert.ok('computers' in json);
  assert.deepEqual(mock.requests()[0]?.faults, ['latency']);
});

test('drip: the whole body comes in many pieces', async () => {
  await using mock = await openMock();

  const response = await raw(mock, { kind: 'drip', ms: 1, bytes: 200 });
  let pieces = 0;
  response.on('data', () => (pieces += 1));
  const { bytes } = await bytesOf(response);

  assert.equal(bytes.length, Number(response.headers['content-length']));
  assert.ok(pieces > 3, `${pieces} pieces`);
});

test('truncate: half of the promised body, then a reset', async () => {
  await using mock = await openMock();

  const response = await raw(mock, { kind: 'truncate' });
  const { bytes, code } = await bytesOf(response);

  const promised = Number(response.headers['content-length']);
  assert.equal(bytes.length, Math.floor(promised / 2));
  assert.equal(code, 'ECONNRESET');
});

test('stall: half of the promised body, then nothing until the client gives up', async () => {
  await using mock = await openMock();

  const response = await raw(mock, { kind: 'stall' });
  const [first] = await once(response, 'data');
  response.destroy();

  assert.equal(first.length, Math.floor(Number(response.headers['content-length']) / 2));
});

test('half-json: a whole HTTP answer with half a document', async () => {
  await using mock = await openMock();

  const { status, text, headers } = await askWith(mock, { kind: 'half-json' });

  assert.equal(status, 200);
  assert.equal(Buffer.byteLength(text), Number(headers.get('content-length')));
  assert.match(text, /^\{"computers":\[/);
  assert.throws(() => JSON.parse(text), SyntaxError);
});

test('empty: 200 and no byte', async () => {
  await using mock = await openMock();

  const { status, text } = await askWith(mock, { kind: 'empty' });

  assert.deepEqual([status, text], [200, '']);
});

test('html and content-type: 200 with a page, and JSON that says it is text', async () => {
  await using mock = await openMock();

  const html = await askWith(mock, { kind: 'html' });
  const text = await askWith(mock, { kind: 'content-type', type: 'text/plain' });

  assert.match(html.text, /^<!doctype html>/);
  assert.equal(text.headers.get('content-type'), 'text/plain');
  assert.ok('computers' in text.json);
});

test('bom: the bytes EF BB BF come first', async () => {
  await using mock = await openMock();

  const { bytes } = await bytesOf(await raw(mock, { kind: 'bom' }));

  assert.equal(bytes.subarray(0, 4).toString('hex'), 'efbbbf7b');
});

test('bad-gzip: the body says it is gzip and cannot be unpacked', async () => {
  await using mock = await openMock();

  const response = await raw(mock, { kind: 'bad-gzip' });
  const { bytes } = await bytesOf(response);

  assert.equal(response.headers['content-encoding'], 'gzip');
  assert.equal(bytes.subarray(0, 2).toString('hex'), '1f8b');
  await assert.rejects(askWith(mock, { kind: 'bad-gzip' }));
});

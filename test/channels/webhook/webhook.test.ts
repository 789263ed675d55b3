import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { test } from 'node:test';
import { inspect } from 'node:util';
import webhook from '../../../src/channels/webhook/index.ts';
import { openHttpEndpoint, selfSigned } from '../../support/http-endpoint.ts';
import { sampleNotification } from '../../support/sample.ts';
import { needs } from '../../support/system-part.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { channelConformance, seededSecret, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import { createWebhook, openWebhookStage } from './webhook-stage.ts';

channelConformance(webhook, openWebhookStage);
httpConformance('webhook', openWebhookStage);

test('webhook: sends the documented JSON and says what it is', async () => {
  await using stage = await openWebhookStage();
  const notification = sampleNotification({
    deliveryId: 'd1',
    sessionTitle: 'Fix the cart',
    computer: 'devbox',
    activeMs: 720_000,
    credits: { amount: 45_000, source: 'tokenUsage', growth: { amount: 120, sinceMs: 60_000 } },
    durationMs: 65_000,
    possibleDuplicate: true,
  });

  await send(stage, notification);

  const [request] = stage.endpoint.requests;
  assert.equal(request?.method, 'POST');
  assert.equal(request?.path, `/in?key=${seededSecret}`);
  assert.equal(request?.headers['content-type'], 'application/json; charset=utf-8');
  assert.equal(request?.headers['user-agent'], 'hookbell');
  assert.equal(request?.headers['x-api-key'], seededSecret);
  assert.deepEqual(JSON.parse(request?.body ?? ''), {
    version: 1,
    id: 'd1',
    at: '2023-11-14T22:13:20.000Z',
    kind: 'needs.input',
    severity: 'warning',
    agent: 'claude',
    event: 'Notification',
    project: 'shop',
    origin: { user: 'ada', host: 'devbox' },
    session: {
      id: 's1',
      title: 'Fix the cart',
      computer: 'devbox',
      activeMs: 720_000,
      credits: { amount: 45_000, source: 'tokenUsage', growth: { amount: 120, sinceMs: 60_000 } },
    },
    asked: null,
    title: 'shop: waits for your answer',
    body: 'Claude is waiting for your input',
    durationMs: 65_000,
    possibleDuplicate: true,
  });
});

test('webhook: signs the bytes it sends as Standard Webhooks describe', async () => {
  const key = Buffer.from('0123456789abcdef0123456789abcdef');
  await using stage = await openWebhookStage({ secret: `whsec_${key.toString('base64')}` });

  await send(stage, sampleNotification({ deliveryId: 'd1', body: 'ünï 🎉' }));

  const [request] = stage.endpoint.requests;
  const signed = `d1.1700000000.${request?.body}`;
  assert.equal(request?.headers['webhook-id'], 'd1');
  assert.equal(request?.headers['webhook-timestamp'], '1700000000');
  assert.equal(
    request?.headers['webhook-signature'],
    `v1,${createHmac('sha256', key).update(signed).digest('base64')}`,
  );
});

test('webhook: without a secret nothing claims to be signed', async () => {
  await using stage = await openWebhookStage({ secret: undefined });

  await send(stage, sampleNotification());

  assert.equal(stage.endpoint.requests[0]?.headers['webhook-signature'], undefined);
});

test('webhook: sends by PUT where the configuration says so', async () => {
  await using stage = await openWebhookStage({ method: 'PUT' });

  await send(stage, sampleNotification());

  assert.equal(stage.endpoint.requests[0]?.method, 'PUT');
});

test('webhook: a 410 breaks the channel, a 404 only the message', async () => {
  await using stage = await openWebhookStage();

  assert.deepEqual(await answered(stage, { status: 410 }), {
    type: 'failed',
    reason: 'Cannot deliver to the webhook: it answered 410',
    channelBroken: true,
  });
  assert.deepEqual(await answered(stage, { status: 404 }), {
    type: 'failed',
    reason: 'Cannot deliver to the webhook: it answered 404',
  });
});

test('webhook: a 2xx counts although its text breaks off (fault 33)', async () => {
  await using stage = await openWebhookStage();

  assert.deepEqual(await answered(stage, 'reset-midway'), { type: 'delivered' });
});

test('webhook: a 2xx counts although its text still drips at the deadline (fault 33)', async () => {
  await using stage = await openWebhookStage();
  stage.endpoint.answer({ status: 202, drip: 'accepted' });
  const deadline = new AbortController();

  const head = answerHead();
  const outcome = send(stage, sampleNotification(), deadline.signal);
  await head;
  deadline.abort();

  assert.deepEqual(await outcome, { type: 'delivered' });
});

test('webhook: a 101 is not a response, and leaves no connection in another protocol', async () => {
  await using stage = await openWebhookStage();

  assert.equal((await answered(stage, 'upgrade')).type, 'retry');
  await stage.endpoint.untilDisconnected();
});

test('webhook: a name of this machine is refused, and not a packet is sent (T10, fault 54)', async () => {
  await using endpoint = await openHttpEndpoint();
  const channel = await createWebhook({
    url: `http://localhost:${endpoint.port}/${seededSecret}`,
    allow_http: true,
  });

  assert.deepEqual(await send({ channel }, sampleNotification()), {
    type: 'failed',
    reason: 'Cannot deliver to the webhook: its address is not public, and allow_private is off',
  });
  assert.equal((await channel.check(AbortSignal.timeout(10_000))).ok, false);
  assert.equal(endpoint.connections(), 0);
});

test('webhook: a name that does not resolve is tried again, and check says so', async () => {
  const channel = await createWebhook({ url: `https://hookbell.invalid/${seededSecret}` });

  const outcome = await send({ channel }, sampleNotification());
  const check = await channel.check(AbortSignal.timeout(10_000));

  const reason = 'Cannot deliver to the webhook: its name cannot be resolved';
  assert.deepEqual(outcome, { type: 'retry', reason });
  assert.deepEqual(check, { ok: false, summary: reason });
});

test(
  'webhook: an untrusted certificate is refused, without a byte of the message (fault 33)',
  { skip: needs('openssl') },
  async () => {
    await using directory = await temporaryDirectory();
    await using endpoint = await openHttpEndpoint(await selfSigned(directory.path));
    const channel = await createWebhook({
      url: `${endpoint.url}/${seededSecret}`,
      allow_private: true,
    });

    // A variable of the environment does not change that (D4).
    for (const switched of ['1', '0']) {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = switched;
      const outcome = await send({ channel }, sampleNotification());
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];

      assert.deepEqual(outcome, {
        type: 'retry',
        reason: 'Cannot deliver to the webhook: its certificate is self-signed',
      });
    }
    assert.deepEqual(endpoint.requests, []);
  },
);

const refusals: readonly (readonly [fault: string, options: Record<string, unknown>])[] = [
  ['the address in "url" is not a URL', { url: seededSecret }],
  ['the address in "url" is not https', { url: `http://example.com/${seededSecret}` }],
  ['the address in "url" is not https', { url: `file:///${seededSecret}`, allow_http: true }],
  ['the address in "url" is not public', { url: `https://127.0.0.1/${seededSecret}` }],
  ['the address in "url" is not public', { url: `https://169.254.169.254/${seededSecret}` }],
  ['the address in "url" is not public', { url: `https://[::ffff:10.0.0.1]/${seededSecret}` }],
  ['the address in "url" is not public', { url: `https://0x7f000001/${seededSecret}` }],
  ['the address in "url" is not public', { url: `https://2130706433/${seededSecret}` }],
  [
    'the part after "whsec_" in "secret" is not base64',
    { url: 'https://example.com', secret: `whsec_${seededSecret}!` },
  ],
  [
    'the value of header "X-Key" contains characters other than printable ASCII',
    { url: 'https://example.com', headers: { 'X-Key': `${seededSecret}\r\nX-Forged: 1` } },
  ],
];
for (const [fault, options] of refusals) {
  test(`webhook: create() says that ${fault}: ${JSON.stringify(options)} (T10, T12, fault 54)`, async () => {
    await assert.rejects(createWebhook(options), (error: Error) => {
      assert.equal(error.name, 'ConfigError');
      assert.equal(error.message, `Cannot use channel "under-test": ${fault}`);
      assert.equal(inspect(error).includes(seededSecret), false);
      return true;
    });
  });
}

test('webhook: options cannot set a header that hookbell sets, nor one that is none', () => {
  for (const name of ['Host', 'content-length', 'Webhook-Id', 'User-Agent', 'a b', 'a:b', '']) {
    const parsed = webhook.options.safeParse({
      url: 'https://example.com',
      headers: { [name]: 'x' },
    });

    assert.equal(parsed.success, false, `"${name}" was taken`);
  }
});

test('webhook: check() reads the secrets again, so that it sees what is wrong now', async () => {
  let url = 'https://203.0.113.7/';
  const channel = await createWebhook(
    { url: { env: 'HOOK_URL' }, allow_private: true },
    { resolveSecret: () => Promise.resolve(url) },
  );

  assert.deepEqual(await channel.check(AbortSignal.timeout(10_000)), {
    ok: true,
    summary: 'Sends to 203.0.113.7',
  });
  url = 'http://203.0.113.7/';
  assert.deepEqual(await channel.check(AbortSignal.timeout(10_000)), {
    ok: false,
    summary: 'Cannot use channel "under-test": the address in "url" is not https',
    hint: 'Use https, or set allow_http: true',
  });
});

/** Settles when the HTTP client of this process has read the head of an answer. */
function answerHead(): Promise<void> {
  return new Promise((resolve) => {
    const name = 'http.client.response.finish';
    const onHead = (): void => {
      unsubscribe(name, onHead);
      resolve();
    };
    subscribe(name, onHead);
  });
}

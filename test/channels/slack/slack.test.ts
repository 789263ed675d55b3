import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import slack from '../../../src/channels/slack/index.ts';
import { ConfigError } from '../../../src/platform/errors.ts';
import type { Outcome } from '../../../src/core/outcome.ts';
import { sampleNotification } from '../../support/sample.ts';
import { activeMarkup } from '../../support/slack-limits.ts';
import { channelConformance, seededSecret, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import { createSlack, messageOf, openSlackStage } from './slack-stage.ts';

// Of the 2xx only the 200 comes with "ok" there (P32).
const withoutOk = Object.fromEntries(
  Array.from({ length: 99 }, (_, index) => [201 + index, 'retry']),
);

channelConformance(slack, openSlackStage);
httpConformance('slack', openSlackStage, withoutOk);

const classes: readonly (readonly [status: number, text: string, outcome: string])[] = [
  [404, 'no_service', 'broken'],
  [404, 'channel_not_found', 'broken'],
  [404, 'no_active_hooks', 'broken'],
  [410, 'channel_is_archived', 'broken'],
  [403, 'action_prohibited', 'broken'],
  [403, 'posting_to_general_channel_denied', 'broken'],
  [403, 'invalid_token', 'broken'],
  [400, 'invalid_payload', 'failed'],
  [400, 'invalid_blocks', 'failed'],
  [429, 'rate_limited', 'retry'],
  [500, 'rollup_error', 'retry'],
];
for (const [status, text, wanted] of classes) {
  test(`slack: ${status} "${text}" is ${wanted}, and the reason names it (P35, fault 35)`, async () => {
    await using stage = await openSlackStage();

    const outcome = await answered(stage, { status, body: text });

    assert.equal(reasonOf(outcome), `Cannot deliver to Slack: it answered ${status} "${text}"`);
    assert.equal(outcome.type, wanted === 'broken' ? 'failed' : wanted);
    assert.equal(outcome.type === 'failed' && outcome.channelBroken === true, wanted === 'broken');
  });
}

test('slack: a 403 that is not in words of Slack fails the message, not the channel', async () => {
  await using stage = await openSlackStage();

  const outcome = await answered(stage, { status: 403, body: '<h1>Blocked by your proxy</h1>' });

  assert.deepEqual(outcome, {
    type: 'failed',
    reason: 'Cannot deliver to Slack: it answered 403',
  });
});

const notOk = [
  ['<!doctype html><title>Log in</title>', 'retry'],
  ['', 'retry'],
  ['{"ok":false,"error":"invalid_auth"}', 'failed'],
  ['{"ok":true}', 'failed'],
  ['OK', 'failed'],
  ['okay', 'failed'],
] as const;
for (const [body, type] of notOk) {
  test(`slack: 200 with "${body}" is not delivered but ${type} (P32, fault 32)`, async () => {
    await using stage = await openSlackStage();

    const outcome = await answered(stage, { status: 200, body });

    assert.equal(outcome.type, type);
    assert.equal(reasonOf(outcome), 'Cannot deliver to Slack: it answered 200 without "ok"');
  });
}

test('slack: an "ok" that breaks off midway is tried again as a possible duplicate (fault 33)', async () => {
  await using stage = await openSlackStage();

  assert.deepEqual(await answered(stage, 'reset-midway'), {
    type: 'retry',
    reason: 'Cannot deliver to Slack: connection lost',
    possibleDuplicate: true,
  });
});

test('slack: a 429 keeps its Retry-After although its text never ends (P30, fault 33)', async () => {
  await using stage = await openSlackStage();
  stage.endpoint.answer({ status: 429, headers: { 'retry-after': '7' }, flood: 1_000_000_000 });

  const outcome = await send(stage, sampleNotification());

  assert.deepEqual(outcome, {
    type: 'retry',
    reason: 'Cannot deliver to Slack: it answered 429',
    afterMs: 7_000,
  });
});

test('slack: an answer that drips is given up at the deadline (P31, fault 33)', async () => {
  await using stage = await openSlackStage();
  stage.endpoint.answer({ status: 200, drip: 'ok' });
  const deadline = new AbortController();

  const reached = stage.endpoint.nextRequest();
  const outcome = send(stage, sampleNotification(), deadline.signal);
  await reached;
  deadline.abort();

  assert.deepEqual(await outcome, {
    type: 'retry',
    reason: 'Cannot deliver to Slack: no answer in time',
    possibleDuplicate: true,
  });
});

test('slack: one send is one request, whatever the answer (P30)', async () => {
  await using stage = await openSlackStage();

  await answered(stage, { status: 500, body: 'rollup_error' });
  await answered(stage, { status: 429, headers: { 'retry-after': '1' } });

  assert.equal(stage.endpoint.requests.length, 2);
});

test('slack: mentions whom the configuration names, a kind before a severity (P81)', async () => {
  await using stage = await openSlackStage({
    mention: { warning: '<@U012AB3CD>', 'needs.permission': '<!here>' },
  });

  await send(stage, sampleNotification({ severity: 'warning', kind: 'needs.permission' }));
  await send(stage, sampleNotification({ severity: 'warning', kind: 'needs.input' }));
  await send(stage, sampleNotification({ severity: 'info', kind: 'turn.done' }));

  // This server is not Slack's own, so the mention stands in the text as well as in a block.
  const mentions = stage.endpoint.requests.map((request) => activeMarkup(messageOf(request)));
  assert.deepEqual(mentions, [['<!here>', '<!here>'], ['<@U012AB3CD>', '<@U012AB3CD>'], []]);
});

test('slack: options take no mention that is more than a mention', () => {
  const mentions = [
    'here',
    '@here',
    '<!here> *x*',
    '<!here|x>',
    '<https://x|y>',
    '<@U1|x>',
    '<#C1>',
  ];
  for (const mention of mentions) {
    const parsed = slack.options.safeParse({
      webhook: { env: 'SLACK_WEBHOOK_URL' },
      mention: { critical: mention },
    });

    assert.equal(parsed.success, false, `"${mention}" was taken`);
  }
});

test('slack: sends through the proxy of the environment (P36)', async () => {
  const proxy = createServer();
  const tunnels: (string | undefined)[] = [];
  proxy.on('connect', (request, socket) => {
    tunnels.push(request.url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const channel = await createSlack(
    { webhook: `https://hooks.slack.com/services/T0/B0/${seededSecret}` },
    { env: { HTTPS_PROXY: `http://user:${seededSecret}@127.0.0.1:${portOf(proxy.address())}` } },
  );

  const outcome = await send({ channel }, sampleNotification());
  const check = await channel.check(AbortSignal.timeout(10_000));

  await channel.close();
  await channel.close();
  proxy.close();
  proxy.closeAllConnections();
  assert.deepEqual(tunnels, ['hooks.slack.com:443']);
  assert.equal(outcome.type, 'retry', inspect(outcome));
  assert.equal(inspect([outcome, check]).includes(seededSecret), false);
  assert.deepEqual(check, { ok: true, summary: 'Posts to hooks.slack.com through the proxy' });
  assert.deepEqual(outcome, {
    type: 'retry',
    reason: 'Cannot deliver to Slack: the proxy refused the connection',
  });
});

test('slack: a proxy for https leaves plain http on this machine alone (P36)', async () => {
  await using stage = await openSlackStage();
  const channel = await createSlack(
    { webhook: `${stage.endpoint.url}/services/T0/B0/x`, allow_any_host: true },
    { env: { https_proxy: 'http://127.0.0.1:9' } },
  );

  const outcome = await send({ channel }, sampleNotification());

  await channel.close();
  assert.deepEqual(outcome, { type: 'delivered' });
});

test('slack: create() refuses a proxy that is not a URL, without showing it', async () => {
  const creating = createSlack(
    { webhook: 'https://hooks.slack.com/services/T0/B0/x' },
    { env: { HTTPS_PROXY: `user:${seededSecret}@proxy` } },
  );

  await assert.rejects(creating, (error) => {
    assert.ok(error instanceof ConfigError);
    assert.equal(
      error.message,
      'Cannot use the proxy in HTTPS_PROXY: it is not an http or https URL',
    );
    assert.equal(inspect(error).includes(seededSecret), false);
    return true;
  });
});

test('slack: check() reads the address again and makes no request', async () => {
  let address = 'https://hooks.slack.com/services/T0/B0/x';
  const channel = await createSlack(
    { webhook: { env: 'SLACK_WEBHOOK_URL' } },
    { resolveSecret: () => Promise.resolve(address) },
  );

  assert.deepEqual(await channel.check(AbortSignal.timeout(10_000)), {
    ok: true,
    summary: 'Posts to hooks.slack.com directly',
  });
  address = 'https://example.com/';
  const check = await channel.check(AbortSignal.timeout(10_000));
  assert.equal(check.ok, false);
  assert.match(check.summary, /expected hooks.slack.com/);
  assert.match(check.hint ?? '', /incoming webhook/);
});

function reasonOf(outcome: Outcome): string | null {
  return outcome.type === 'delivered' ? null : outcome.reason;
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The proxy does not listen');
  return address.port;
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';

import { z } from 'zod';

import pushover from '../../../src/channels/pushover/index.ts';
import { createReceiptWatch, type ReceiptState } from '../../../src/channels/pushover/receipts.ts';
import { parseOptions } from '../../../src/config/problem.ts';
import type { Channel, Reaction } from '../../../src/core/channel.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { channelDependencies, sendContext } from '../../support/channel-dependencies.ts';
import { openHttpEndpoint, type ReceivedRequest } from '../../support/http-endpoint.ts';
import { sampleNotification } from '../../support/sample.ts';
import { until } from '../../support/until.ts';
import { channelConformance, send, seededSecret } from '../conformance.ts';
import { answered, httpConformance, type HttpStage } from '../http-conformance.ts';

/** Keys have exactly 30 letters and digits, which the seeded secret of the conformance suite has not. */
const TOKEN = 'a'.repeat(30);
const USER = 'u'.repeat(30);
const RECEIPT = 'r'.repeat(30);

/** Limits of https://pushover.net/api (no server of Pushover was used). */
const characters = (max: number) =>
  z.string().refine((text) => text !== '' && Array.from(text).length <= max && text.isWellFormed());
const message = z
  .strictObject({
    token: z.literal(TOKEN),
    user: z.literal(USER),
    title: characters(250),
    message: characters(1_024),
    timestamp: z.int().positive(),
    priority: z.int().min(-2).max(2),
    device: z.string().optional(),
    retry: z.int().min(30).optional(),
    expire: z.int().max(10_800).optional(),
  })
  .refine(({ priority, retry, expire }) =>
    priority === 2 ? retry !== undefined && expire !== undefined : retry === undefined,
  );

const messageOf = ({ body }: ReceivedRequest) => message.parse(JSON.parse(body));

function createPushover(
  options: Record<string, unknown>,
  onReaction: (reaction: Reaction) => void = () => undefined,
): Promise<Channel> {
  return pushover.create(
    pushover.options.parse({ token: TOKEN, user: USER, ...options }),
    channelDependencies({ onReaction }),
  );
}

async function openStage(
  options: Record<string, unknown> = {},
  onReaction?: (reaction: Reaction) => void,
): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  const answer = {
    status: 1,
    receipt: RECEIPT,
    devices: ['phone'],
    limit: 10_000,
    remaining: 9_876,
  };
  endpoint.answer({ status: 200, body: JSON.stringify(answer) });
  const channel = await createPushover({ server: endpoint.url, ...options }, onReaction);
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests
        .slice(taken)
        .filter(({ path }) => path === '/1/messages.json')
        .map((request) => messageOf(request));
      taken = endpoint.requests.length;
      return Promise.resolve(
        fresh.map(({ title, message: text, ...rest }) => ({
          shown: `${title}\n${text}`,
          shape: JSON.stringify(rest),
        })),
      );
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      const errors = [`application token is invalid: ${seededSecret} ${TOKEN}`];
      endpoint.answer({
        status: 400,
        body: JSON.stringify({ status: 0, token: 'invalid', errors }),
      });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

channelConformance(pushover, openStage);

/** An answer without the document of Pushover comes from something in between. */
const withoutDocument = Array.from({ length: 100 }, (_, index) => [200 + index, 'retry']);
httpConformance('pushover', openStage, {
  ...Object.fromEntries(withoutDocument),
  403: 'broken',
  404: 'broken',
});

async function priorityOf(
  fields: Partial<Notification>,
  emergency = 'never',
): Promise<ReturnType<typeof messageOf>> {
  await using stage = await openStage({ emergency });
  await send(stage, sampleNotification(fields));
  const [request] = stage.endpoint.requests;
  assert.ok(request);
  return messageOf(request);
}

describe('pushover', () => {
  test('the priority follows the severity, and a quiet notification makes no sound', async () => {
    const rows: number[] = [];
    for (const fields of [
      { kind: 'turn.failed', severity: 'critical' },
      { kind: 'needs.permission', severity: 'warning' },
      { kind: 'turn.done', severity: 'info' },
      { kind: 'needs.permission', severity: 'warning', quietly: true },
    ] as const) {
      rows.push((await priorityOf(fields)).priority);
    }

    assert.deepEqual(rows, [1, 0, -1, -1]);
  });

  test('only what "emergency" names repeats until it is acknowledged, and a test never does', async () => {
    const failure = { kind: 'turn.failed', severity: 'critical' } as const;
    const waiting = { kind: 'needs.permission', severity: 'warning' } as const;
    const { retry, expire, priority } = await priorityOf(failure, 'critical');

    assert.deepEqual([priority, retry, expire], [2, 60, 3_600]);
    assert.equal((await priorityOf(waiting, 'critical')).priority, 0);
    assert.equal((await priorityOf(waiting, 'always')).priority, 2);
    assert.equal(
      (await priorityOf({ kind: 'turn.done', severity: 'info' }, 'always')).priority,
      -1,
    );
    assert.equal((await priorityOf({ kind: 'test', severity: 'warning' }, 'always')).priority, 0);
  });

  test('an answer elsewhere cancels the receipt', async () => {
    await using stage = await openStage({ emergency: 'always' });
    const outcome = await send(stage, sampleNotification({ kind: 'needs.permission' }));
    assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);

    const withdrawn = await stage.channel.withdraw?.(outcome.ref, sendContext());

    assert.equal(withdrawn?.type, 'delivered');
    const { path, body } = stage.endpoint.requests.at(-1) ?? {};
    assert.deepEqual([path, body], [`/1/receipts/${RECEIPT}/cancel.json`, `{"token":"${TOKEN}"}`]);
    assert.equal((await stage.channel.withdraw?.('{}', sendContext()))?.type, 'failed');
  });

  test('a possible duplicate says so', async () => {
    const { message: text } = await priorityOf({
      possibleDuplicate: true,
      body: 'x'.repeat(2_000),
    });

    assert.match(text, /…\nPossible duplicate$/);
  });

  for (const [body, broken, reason] of [
    [{ status: 0, user: 'invalid', errors: [] }, true, /the user is refused/],
    [{ status: 0, token: 'invalid', errors: [] }, true, /the token is refused/],
    [{ status: 0, message: 'cannot be blank', errors: [] }, undefined, /answered 400$/],
  ] as const) {
    test(`a 400 with ${inspect(body)} gives its class`, async () => {
      await using stage = await openStage();

      const outcome = await answered(stage, { status: 400, body: JSON.stringify(body) });

      assert.ok(outcome.type === 'failed');
      assert.equal(outcome.channelBroken, broken);
      assert.match(outcome.reason, reason);
    });
  }

  test('the messages of the month are used up: the channel waits until they are back', async () => {
    await using stage = await openStage();

    const outcome = await answered(stage, {
      status: 429,
      headers: { 'x-limit-app-reset': '1700001800' },
      body: '{"status":0}',
    });

    assert.ok(outcome.type === 'retry');
    assert.equal(outcome.afterMs, 1_800_000);
    assert.match(outcome.reason, /no messages are left this month/);
  });

  test('check shows what is left this month, and a device that does not exist', async () => {
    await using stage = await openStage();
    await using other = await openStage({ device: 'tablet' });
    const signal = AbortSignal.timeout(5_000);

    assert.match((await stage.channel.check(signal)).summary, /9876 of 10000 messages left/);
    assert.match((await other.channel.check(signal)).summary, /no device "tablet"/);
  });

  for (const [options, fault] of [
    [{ retry: 10 }, /less than 30/],
    [{ expire: 20_000 }, /more than 10800/],
    [{ device: 'my phone' }, /not the name of a device/],
  ] as const) {
    test(`refuses ${inspect(options)}`, () => {
      const { error } = pushover.options.safeParse(
        { token: 't', user: 'u', ...options },
        parseOptions,
      );

      assert.match(error?.issues[0]?.message ?? '', fault);
    });
  }

  test('no key is in an outcome, a check or the channel, also when the service repeats it', async () => {
    await using stage = await openStage();
    const { channel } = stage;
    const healthy = [
      await send(stage, sampleNotification()),
      await channel.check(AbortSignal.timeout(5_000)),
    ];
    await stage.break?.();
    const broken = [
      await send(stage, sampleNotification()),
      await channel.check(AbortSignal.timeout(5_000)),
    ];

    const seen = inspect([healthy, broken, channel], { depth: 10, showHidden: true });
    assert.doesNotMatch(seen, new RegExp(`${TOKEN}|${USER}`));
  });

  test('is not created with a key of another form', async () => {
    await assert.rejects(createPushover({ user: 'me@example.com' }), /"user" is not 30 letters/);
  });
});

describe('createReceiptWatch()', () => {
  test('reports an acknowledged receipt once, and asks no more after it, its end or its withdrawal', async () => {
    const states = new Map<string, ReceiptState>([
      ['a', 'acknowledged'],
      ['b', 'over'],
      ['c', 'acknowledged'],
      ['d', 'unknown'],
    ]);
    const asked: string[] = [];
    const seen: string[] = [];
    const timers: (() => void)[] = [];
    const watch = createReceiptWatch({
      ask: (receipt) => {
        asked.push(receipt);
        return Promise.resolve(states.get(receipt) ?? 'waiting');
      },
      onAcknowledged: (deliveryId) => void seen.push(deliveryId),
      startTimer: (_, callback) => {
        timers.push(callback);
        return () => undefined;
      },
      now: () => 1_000,
    });
    for (const receipt of states.keys()) watch.add(receipt, `delivery-${receipt}`, 2_000);
    watch.remove('c');

    timers.shift()?.();
    await until(() => asked.length === 3 && timers.length === 1);
    timers.shift()?.();
    await until(() => asked.length === 4);

    assert.deepEqual(asked, ['a', 'b', 'd', 'd']);
    assert.deepEqual(seen, ['delivery-a']);
    await until(() => timers.length === 1);
    timers.shift()?.();
    await watch.close();
  });
});

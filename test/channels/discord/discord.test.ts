import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import discord from '../../../src/channels/discord/index.ts';
import { parseOptions } from '../../../src/config/problem.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sendContext } from '../../support/channel-dependencies.ts';
import type { ReceivedRequest } from '../../support/http-endpoint.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { channelConformance, seededSecret, send } from '../conformance.ts';
import { answered, httpConformance } from '../http-conformance.ts';
import {
  activeMarks,
  everyStatus,
  type FakeService,
  openServiceStage,
  parseBody,
  unescapeChat,
} from '../service-stage.ts';

const path = `/api/webhooks/223704706495545344/${seededSecret}`;

/** https://docs.discord.com/developers/resources/webhook and …/resources/message#embed-object-embed-limits */
const message = z
  .strictObject({
    content: z.string().min(1).max(2_000),
    embeds: z
      .array(
        z.strictObject({
          description: z.string().min(1).max(4_096),
          color: z.int().min(0).max(0xff_ff_ff),
          footer: z.strictObject({ text: z.string().max(2_048) }).optional(),
        }),
      )
      .max(10),
    allowed_mentions: z.strictObject({ parse: z.array(z.string()) }),
    flags: z.literal(4_096).optional(),
  })
  .refine(
    ({ embeds }) =>
      embeds.reduce(
        (sum, { description, footer }) => sum + description.length + (footer?.text.length ?? 0),
        0,
      ) <= 6_000,
  );

const fake: FakeService = {
  definition: discord,
  options: (url) => ({ webhook: `${url}${path}` }),
  reply(request) {
    const { pathname, searchParams } = new URL(request.path, 'http://discord.test');
    if (!pathname.startsWith(path)) return { status: 404, body: '{"code":10015}' };
    if (request.method === 'DELETE') return { status: 204 };
    if (request.method === 'GET') {
      return { status: 200, body: '{"id":"223704706495545344","type":1,"channel_id":"1"}' };
    }
    if (!parseBody(message, request).success) return { status: 400, body: '{"code":50035}' };
    if (request.method === 'PATCH') return { status: 200, body: '{"id":"1400000000000000001"}' };
    // Without "wait" there is no answer, and a message that was not saved is not an error.
    return searchParams.get('wait') === 'true'
      ? { status: 200, body: '{"id":"1400000000000000001"}' }
      : { status: 204 };
  },
  arrivalOf(request) {
    if (request.method !== 'POST') return null;
    const { content, embeds, ...rest } = messageOf(request);
    const texts = [content, ...embeds.flatMap(({ description }) => description)];
    return {
      shown: unescapeChat(texts.join('\n')),
      shape: JSON.stringify([
        request.path,
        rest,
        embeds.map(Object.keys),
        activeMarks(texts.join(' ')),
      ]),
    };
  },
  revoked: { status: 404, body: `{"message": "Unknown Webhook ${seededSecret}", "code": 10015}` },
};

function messageOf(request: ReceivedRequest | undefined): z.output<typeof message> {
  const { data, error } = parseBody(message, request);
  assert.ok(data, error?.message);
  return data;
}

const open = () => openServiceStage(fake);
channelConformance(discord, open);
httpConformance('discord', open, {
  ...everyStatus(200, 'retry'),
  200: 'failed',
  403: 'broken',
  404: 'broken',
});

async function messageFor(fields: Partial<Notification>): Promise<z.output<typeof message>> {
  await using stage = await open();
  await send(stage, sampleNotification(fields));
  return messageOf(stage.endpoint.requests[0]);
}

describe('discord', () => {
  test('the look follows what happened, and a quiet notification makes no sound', async () => {
    const failed = await messageFor({ kind: 'turn.failed', severity: 'critical' });
    const quiet = await messageFor({ kind: 'turn.done', severity: 'info', quietly: true });

    assert.deepEqual([failed.content[0], failed.embeds[0]?.color], ['🚨'[0], 0xcf222e]);
    assert.equal(failed.flags, undefined);
    assert.deepEqual([quiet.content[0], quiet.flags], ['✅'[0], 4_096]);
  });

  test('no text mentions anyone, formats, links or makes an emoji, and its words stay', async () => {
    for (const text of hostileTexts.filter((one) => one.trim() !== '')) {
      const { content, allowed_mentions: mentions } = await messageFor({ title: `x ${text}` });

      assert.deepEqual(mentions, { parse: [] });
      assert.deepEqual(activeMarks(content), [], content);
      assert.doesNotMatch(content, /@(?:everyone|here)|https?:\/\/|(?<!\\):\w+:/);
    }
  });

  test('an answered message is deleted, or edited with "when_over: edit", in its thread', async () => {
    await using deleting = await openServiceStage(fake, { thread: '1234567' });
    await using editing = await openServiceStage(fake, { when_over: 'edit' });
    const over = sampleNotification({ title: 'Over: shop', quietly: true });
    const refs: string[] = [];
    for (const stage of [deleting, editing]) {
      const outcome = await send(stage, sampleNotification());
      assert.ok(outcome.type === 'delivered' && outcome.ref !== undefined);
      refs.push(outcome.ref);
    }

    const deleted = await deleting.channel.withdraw?.(refs[0] ?? '', sendContext());
    const edited = await editing.channel.update?.(refs[1] ?? '', over, sendContext());

    assert.deepEqual([deleted?.type, edited?.type], ['delivered', 'delivered']);
    const last = deleting.endpoint.requests.at(-1);
    assert.deepEqual(
      [last?.method, last?.path],
      ['DELETE', `${path}/messages/1400000000000000001?thread_id=1234567`],
    );
    const patch = editing.endpoint.requests.at(-1);
    assert.equal(patch?.method, 'PATCH');
    assert.deepEqual(messageOf(patch).allowed_mentions, { parse: [] });
    assert.match(messageOf(patch).content, /Over\\:/);
    assert.ok(!('update' in deleting.channel) && !('withdraw' in editing.channel));
  });

  test('a message that someone deleted counts as withdrawn, and does not stop the channel', async () => {
    await using stage = await open();
    stage.endpoint.answer({ status: 404, body: '{"message":"Unknown Message","code":10008}' });

    const outcome = await stage.channel.withdraw?.('1400000000000000001', sendContext());
    const damaged = await stage.channel.withdraw?.('../1', sendContext());

    assert.equal(outcome?.type, 'delivered');
    assert.equal(damaged?.type, 'failed');
    assert.equal(stage.endpoint.requests.length, 1);
  });

  test('a wait that only the text of a 429 names is kept', async () => {
    await using stage = await open();

    const outcome = await answered(stage, { status: 429, body: '{"retry_after": 64.57}' });

    assert.equal(outcome.type === 'retry' && outcome.afterMs, 65_000);
  });

  test('check() asks for the webhook, and a deleted one is found', async () => {
    await using stage = await open();

    const good = await stage.channel.check(AbortSignal.timeout(10_000));
    stage.endpoint.answer(fake.revoked);
    const bad = await stage.channel.check(AbortSignal.timeout(10_000));

    assert.deepEqual(good, { ok: true, summary: 'Posts to Discord; the webhook exists' });
    assert.equal(bad.ok, false);
    assert.match(bad.summary, /^Cannot use Discord: it answered 404$/);
    assert.ok(stage.endpoint.requests.every(({ method }) => method === 'GET'));
  });

  for (const [options, fault] of [
    [{ webhook: 'https://discord.com/channels/1/2' }, 'is not that of an incoming webhook'],
    [{ webhook: `http://discord.com${path}` }, /is not https/],
    [{ webhook: { env: 'X' }, thread: 'general' }, /is not the id of a thread/],
  ] as const) {
    test(`refuses ${JSON.stringify(options)}`, () => {
      const { error } = discord.options.safeParse(options, parseOptions);

      assert.match(
        error?.issues[0]?.message ?? '',
        fault instanceof RegExp ? fault : RegExp(fault),
      );
    });
  }
});

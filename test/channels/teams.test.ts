import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import teams from '../../src/channels/teams.ts';
import { parseOptions } from '../../src/config/problem.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { ReceivedRequest } from '../support/http-endpoint.ts';
import { sampleNotification } from '../support/sample.ts';
import { channelConformance, seededSecret, send } from './conformance.ts';
import { httpConformance } from './http-conformance.ts';
import { type FakeService, openServiceStage, parseBody } from './service-stage.ts';

const path = '/workflows/0a1b/triggers/manual/paths/invoke';

/** A text run knows no Markdown: https://learn.microsoft.com/en-us/adaptive-cards/schema-explorer/text-run */
const block = z.strictObject({
  type: z.literal('RichTextBlock'),
  spacing: z.literal('None'),
  inlines: z.tuple([
    z.strictObject({
      type: z.literal('TextRun'),
      text: z.string().min(1),
      weight: z.enum(['Default', 'Lighter', 'Bolder']).optional(),
      size: z.enum(['Default', 'Small', 'Medium', 'Large', 'ExtraLarge']).optional(),
      color: z.enum(['default', 'accent', 'good', 'warning', 'attention']).optional(),
      isSubtle: z.boolean().optional(),
    }),
  ]),
});
const message = z.strictObject({
  type: z.literal('message'),
  attachments: z.tuple([
    z.strictObject({
      contentType: z.literal('application/vnd.microsoft.card.adaptive'),
      contentUrl: z.null(),
      content: z.strictObject({
        $schema: z.url(),
        type: z.literal('AdaptiveCard'),
        version: z.literal('1.4'),
        fallbackText: z.string(),
        // Entities, which are mentions, are none of it.
        msteams: z.strictObject({ width: z.literal('Full') }),
        body: z.array(block).min(1),
        actions: z
          .tuple([
            z.strictObject({
              type: z.literal('Action.OpenUrl'),
              title: z.string(),
              url: z.url(),
            }),
          ])
          .optional(),
      }),
    }),
  ]),
});
/** https://learn.microsoft.com/en-us/microsoftteams/limits-specifications-teams */
const MAX_BYTES = 28 * 1_024;

const fake: FakeService = {
  definition: teams,
  options: (url) => ({ webhook: `${url}${path}?api-version=1&sp=%2Ftriggers&sig=${seededSecret}` }),
  reply: (request) =>
    Buffer.byteLength(request.body) <= MAX_BYTES && parseBody(message, request).success
      ? { status: 202 }
      : { status: 400, body: '{"error":{"code":"InvalidRequest"}}' },
  arrivalOf(request) {
    const { body, fallbackText: _, ...rest } = cardOf(request);
    const runs = body.map(({ inlines: [run] }) => run);
    const kinds = new Set(runs.map(({ text: _text, ...look }) => JSON.stringify(look)));
    return {
      shown: runs.map(({ text }) => text).join('\n'),
      // Not their number: each line of a text has a block.
      shape: JSON.stringify([request.path, rest, [...kinds]]),
    };
  },
  revoked: {
    status: 401,
    body: `{"error":{"code":"AuthorizationFailed","sig":"${seededSecret}"}}`,
  },
};

function cardOf(request: ReceivedRequest | undefined) {
  const { data, error } = parseBody(message, request);
  assert.ok(data, error?.message);
  return data.attachments[0].content;
}

const open = () => openServiceStage(fake);
channelConformance(teams, open);
httpConformance('teams', open, { 403: 'broken', 404: 'broken' });

async function cardFor(fields: Partial<Notification>): Promise<ReturnType<typeof cardOf>> {
  await using stage = await open();
  await send(stage, sampleNotification(fields));
  return cardOf(stage.endpoint.requests[0]);
}

describe('teams', () => {
  test('the colour of the headline follows what happened', async () => {
    const { body, fallbackText } = await cardFor({
      kind: 'turn.failed',
      severity: 'critical',
      title: 'shop: failed',
    });

    assert.equal(body[0]?.inlines[0].color, 'attention');
    assert.equal(fallbackText, '🚨 shop: failed');
  });

  test('a text of many lines, each of them long, stays below 28 KB', async () => {
    await using stage = await open();
    const body = Array.from({ length: 500 }, () => '"\\'.repeat(100)).join('\n');

    const outcome = await send(stage, sampleNotification({ body }));

    assert.equal(outcome.type, 'delivered');
    const shown = cardOf(stage.endpoint.requests[0]).body;
    assert.ok(shown.length <= 64);
    assert.match(shown.at(-1)?.inlines[0].text ?? '', /…$/);
  });

  test('the only link is that of the reply page, with a hint where it opens', async () => {
    const replyLink = { url: 'http://127.0.0.1:1/reply/x', machine: 'devbox', forMs: 3_600_000 };
    const { actions, body } = await cardFor({ replyLink, possibleDuplicate: true });

    assert.deepEqual(
      actions?.map(({ url }) => url),
      [replyLink.url],
    );
    const texts = body.map(({ inlines: [{ text }] }) => text);
    assert.match(texts.at(-1) ?? '', /on the machine "devbox"/);
    assert.equal(texts.at(-2), 'Possible duplicate');
  });

  test('an address of the retired connectors is refused', () => {
    const webhook = 'https://example.webhook.office.com/webhookb2/a/IncomingWebhook/b/c';
    const { error } = teams.options.safeParse({ webhook }, parseOptions);

    assert.equal(error?.issues[0]?.message, 'is not that of an incoming webhook');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import googlechat from '../../src/channels/googlechat.ts';
import { WORD_JOINER } from '../../src/channels/support/chat-text.ts';
import type { Notification } from '../../src/core/notification.ts';
import type { ReceivedRequest } from '../support/http-endpoint.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { unescapeSlack } from '../support/slack-limits.ts';
import { sampleNotification } from '../support/sample.ts';
import { channelConformance, seededSecret, send } from './conformance.ts';
import { httpConformance } from './http-conformance.ts';
import { everyStatus, type FakeService, openServiceStage, parseBody } from './service-stage.ts';

const path = '/v1/spaces/AAAA/messages';

/** https://developers.google.com/workspace/chat/api/reference/rest/v1/cards */
const widget = z.union([
  z.strictObject({ textParagraph: z.strictObject({ text: z.string().min(1) }) }),
  z.strictObject({ buttonList: z.strictObject({ buttons: z.array(z.looseObject({})).length(1) }) }),
]);
const message = z.strictObject({
  fallbackText: z.string().min(1),
  cardsV2: z.tuple([
    z.strictObject({
      cardId: z.string(),
      card: z.strictObject({
        sections: z.tuple([z.strictObject({ widgets: z.array(widget).min(1).max(100) })]),
      }),
    }),
  ]),
  thread: z.strictObject({ threadKey: z.string().min(1).max(4_000) }),
});
/** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create */
const MAX_BYTES = 32_000;

const fake: FakeService = {
  definition: googlechat,
  options: (url) => ({ webhook: `${url}${path}?key=k&token=${seededSecret}` }),
  reply: (request) =>
    Buffer.byteLength(request.body) <= MAX_BYTES && parseBody(message, request).success
      ? {
          status: 200,
          body: '{"name":"spaces/AAAA/messages/1.1","thread":{"name":"spaces/AAAA/threads/1"}}',
        }
      : { status: 400, body: '{"error":{"status":"INVALID_ARGUMENT"}}' },
  arrivalOf(request) {
    const texts = paragraphsOf(request);
    const html = texts.join('\n');
    return {
      shown: unescapeSlack(html.replaceAll('<br>', '\n').replace(/<[^>]*>/g, '')).replaceAll(
        WORD_JOINER,
        '',
      ),
      shape: [new URL(request.path, 'http://x').pathname, texts.length, ...tagsOf(html)].join('\n'),
    };
  },
  revoked: {
    status: 403,
    body: `{"error":{"status":"PERMISSION_DENIED","message":"${seededSecret}"}}`,
  },
};

/** Everything that Chat would take for markup, but for line feeds. */
function tagsOf(html: string): readonly string[] {
  return (html.match(/<[^>]*>?|>/g) ?? []).filter((tag) => tag !== '<br>');
}

function messageOf(request: ReceivedRequest | undefined): z.output<typeof message> {
  const { data, error } = parseBody(message, request);
  assert.ok(data, error?.message);
  return data;
}

function paragraphsOf(request: ReceivedRequest | undefined): readonly string[] {
  const { widgets } = messageOf(request).cardsV2[0].card.sections[0];
  return widgets.flatMap((one) => ('textParagraph' in one ? one.textParagraph.text : []));
}

const open = () => openServiceStage(fake);
channelConformance(googlechat, open);
httpConformance('googlechat', open, {
  ...everyStatus(200, 'retry'),
  200: 'failed',
  403: 'broken',
  404: 'broken',
});

async function requestFor(fields: Partial<Notification>): Promise<ReceivedRequest> {
  await using stage = await open();
  await send(stage, sampleNotification(fields));
  const [request] = stage.endpoint.requests;
  assert.ok(request);
  return request;
}

describe('googlechat', () => {
  test('a session has a thread, whose key does not show its project', async () => {
    const keys: string[] = [];
    for (const groupKey of ['claude:secret:s1', 'claude:secret:s1', 'claude:secret:s2']) {
      keys.push(messageOf(await requestFor({ groupKey })).thread.threadKey);
    }

    assert.equal(keys[0], keys[1]);
    assert.notEqual(keys[0], keys[2]);
    assert.doesNotMatch(keys[0] ?? '', /secret|s1/);
  });

  test('the address keeps its key and token, and says what to do without the thread', async () => {
    const deliveryId = '0190a5e0-0000-7000-8000-000000000001';
    const { searchParams } = new URL((await requestFor({ deliveryId })).path, 'http://x');

    assert.deepEqual(Object.fromEntries(searchParams), {
      key: 'k',
      token: seededSecret,
      messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD',
      requestId: deliveryId,
    });
  });

  test('no address in a text becomes a link, neither in the card nor in the text of a push', async () => {
    const texts = [...hostileTexts, 'see evil.test/x, www.evil.test or mail a@evil.test'];
    for (const text of texts) {
      const request = await requestFor({ title: text, body: text });

      for (const shown of [messageOf(request).fallbackText, ...paragraphsOf(request)]) {
        assert.doesNotMatch(shown, /:\/\/|\w\.\w|\w@\w/);
      }
    }
  });

  test('a text mentions no one and makes no link: its brackets are escaped', async () => {
    const request = await requestFor({
      title: 'shop <users/all>',
      body: '<https://evil.test|click> <a href="https://evil.test">x</a> &lt;users/all&gt;',
    });

    assert.deepEqual(tagsOf(paragraphsOf(request).join('\n')), [
      '<b>',
      '<font color="#8250df">',
      '</font>',
      '</b>',
    ]);
    assert.match(paragraphsOf(request)[1] ?? '', /&amp;lt;users\/all&amp;gt;$/);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import mattermost from '../../src/channels/mattermost.ts';
import rocketchat from '../../src/channels/rocketchat.ts';
import type { ChannelDefinition } from '../../src/core/channel.ts';
import type { ReceivedRequest } from '../support/http-endpoint.ts';
import { hostileTexts } from '../support/hostile-texts.ts';
import { sampleNotification } from '../support/sample.ts';
import { channelConformance, seededSecret, send } from './conformance.ts';
import { answered, httpConformance } from './http-conformance.ts';
import {
  activeMarks,
  everyStatus,
  type FakeService,
  openServiceStage,
  parseBody,
  unescapeChat,
} from './service-stage.ts';

/** https://developers.mattermost.com/integrate/reference/message-attachments/; Rocket.Chat takes the same keys. */
const message = z.strictObject({
  text: z.string().min(1).max(5_000),
  attachments: z.tuple([
    z.strictObject({
      color: z.string().regex(/^#[0-9a-f]{6}$/),
      text: z.string().min(1).max(7_600),
    }),
  ]),
});

function textsOf(request: ReceivedRequest | undefined): readonly string[] {
  const { data, error } = parseBody(message, request);
  assert.ok(data, error?.message);
  return [data.text, data.attachments[0].text];
}

/**
 * @param escaped the marks that get a backslash
 * @param shownAs undoes what replaces a mark that cannot be escaped
 */
function fakeOf(
  definition: ChannelDefinition,
  path: string,
  {
    ok,
    escaped,
    shownAs,
  }: {
    readonly ok: string;
    readonly escaped: string;
    readonly shownAs: (text: string) => string;
  },
): FakeService {
  return {
    definition,
    options: (url) => ({ webhook: `${url}${path}` }),
    reply: (request) =>
      parseBody(message, request).success ? { status: 200, body: ok } : { status: 400, body: '{}' },
    arrivalOf(request) {
      const texts = textsOf(request);
      return {
        shown: shownAs(texts.map(unescapeChat).join('\n')),
        shape: [
          request.path,
          ...activeMarks(texts.join('\n')).filter((mark) => escaped.includes(mark)),
        ].join('\n'),
      };
    },
    revoked: { status: 404, body: `{"message":"no hook ${seededSecret}"}` },
  };
}

const services = {
  mattermost: fakeOf(mattermost, `/hooks/${seededSecret}`, {
    ok: 'ok',
    escaped: '`*_~|>#()[]<@',
    shownAs: (text) => text,
  }),
  rocketchat: fakeOf(rocketchat, `/hooks/1/${seededSecret}`, {
    ok: '{"success":true}',
    escaped: '`*_~#',
    shownAs: (text) => text.replaceAll('‹', '<').replaceAll('›', '>'),
  }),
};

channelConformance(mattermost, () => openServiceStage(services.mattermost));
httpConformance('mattermost', () => openServiceStage(services.mattermost), {
  ...everyStatus(200, 'retry'),
  200: 'delivered',
  403: 'broken',
  404: 'broken',
});
channelConformance(rocketchat, () => openServiceStage(services.rocketchat));
httpConformance('rocketchat', () => openServiceStage(services.rocketchat), {
  ...everyStatus(200, 'retry'),
  200: 'failed',
  403: 'broken',
  404: 'broken',
});

for (const [type, service] of Object.entries(services)) {
  describe(type, () => {
    test(`${type}: no text mentions anyone, links, or makes an emoji`, async () => {
      await using stage = await openServiceStage(service);
      const links = ['www.evil.test', 'evil.test/x', 'https://evil.test', 'a@evil.test'];
      const mentions = ['@channel @all @here @ada', '~town-square #general', ':tada: <!here>'];

      for (const text of [...mentions, ...links, ...hostileTexts]) {
        await send(stage, sampleNotification({ title: `x ${text}`, body: `y ${text}` }));
        for (const shown of textsOf(stage.endpoint.requests.at(-1))) {
          assert.doesNotMatch(
            shown,
            /@\w|(?<!\\)[~#]\w|:\w+:|\w:\/\/|\w\.\w|\]\(|(?<!\\)<|(?<!\\)[*_`]/,
          );
        }
      }
    });

    test(`${type}: a page of something in between is tried again as a possible duplicate`, async () => {
      await using stage = await openServiceStage(service);

      const outcome = await answered(stage, { status: 200, body: '<html>Log in</html>' });

      assert.ok(outcome.type === 'retry' && outcome.possibleDuplicate === true);
    });
  });
}

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { EpochUnknown } from '../../../../src/vendor/client/index.ts';
import {
  childUsage,
  dateOfEpoch,
  fileAttachment,
  imageAttachment,
  messageText,
  sessionCredits,
  textForPeople,
} from '../../../../src/vendor/client/index.ts';
import { Message } from '../../../../src/vendor/client/messages.ts';
import { ApiSession } from '../../../../src/vendor/client/sessions.ts';
import { message, session } from '../samples.ts';
import { json, openService } from '../service.ts';

test('acceptance 114, A03: a list whose items have no status is read', async () => {
  const { status: _, ...item } = session();
  await using service = await openService(
    json({ sessions: [item], pagination: { hasMore: false } }),
  );

  const [found] = await service.client().sessions.list().all({ max: 9 });

  assert.equal(found?.status, undefined);
  assert.equal(found?.sessionId, 's1');
});

test('acceptance 125, A25: changing tags sends the whole list and nothing else, unknown settings stay out of it', async () => {
  const settings = {
    tags: [
      { name: 'a', metadata: { x: 1 } },
      { name: 'b', metadata: null },
    ],
    tokenUsage: { inputTokens: 5 },
    somethingNew: true,
  };
  const answer = json(session({ sessionSettings: settings }));
  await using service = await openService(answer);

  await service.client().sessions.changeTags('s1', (tags) => [...tags, { name: 'c' }]);

  assert.deepEqual(JSON.parse(service.base.requests[1]?.body ?? ''), {
    sessionSettings: {
      tags: [
        { name: 'a', metadata: { x: 1 } },
        { name: 'b', metadata: {} },
        { name: 'c', metadata: {} },
      ],
    },
  });
});

test('acceptance 136: text skips blocks that have none', () => {
  const content = [{ text: 'a' }, { id: 'tool' }, { text: null }, { text: '' }, { text: 'b' }];

  assert.equal(messageText({ content }), 'a\nb');
});

const shownText = (fields: object): string | null => textForPeople(Message.parse(message(fields)));

test('acceptance 141, 146: content that is invisible or only for the model is not shown', () => {
  assert.equal(shownText({ visibility: 'llm_only' }), null);
  assert.equal(shownText({ isUserVisible: false }), null);
  assert.equal(shownText({ visibility: 'both', isUserVisible: true }), 'Done');
  assert.equal(shownText({}), 'Done');
});

test('acceptance 144: providerTwoThoughtSignature is accepted, deprecated, and used nowhere', () => {
  const schema = Message.shape.providerTwoThoughtSignature;
  const root = new URL('../../../../../src/', import.meta.url);
  const users = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .filter((name) => readFileSync(new URL(name, root), 'utf8').includes('providerTwoThought'));

  assert.equal(Message.parse(message({ providerTwoThoughtSignature: 'x' })).id, 'm1');
  assert.equal(schema.meta()?.deprecated, true);
  assert.deepEqual(users, ['vendor/client/messages.ts']);
});

const creditsOf = (sessionSettings: object): unknown =>
  sessionCredits(ApiSession.parse(session({ sessionSettings })));

test('A40: inclusive credits come first, are named, and are never added', () => {
  const own = { serviceCredits: 3 };

  assert.deepEqual(creditsOf({ inclusiveTokenUsage: { serviceCredits: 0 }, tokenUsage: own }), {
    credits: 0,
    source: 'inclusiveTokenUsage',
  });
  assert.deepEqual(creditsOf({ tokenUsage: own }), { credits: 3, source: 'tokenUsage' });
  assert.equal(creditsOf({}), null);
});

test('acceptance 121, A41: usage of children is read where it can be and kept raw where not', () => {
  const children = { s2: { inputTokens: 5 }, s3: { inputTokens: 'many' }, s4: 7 };
  const sessionSettings = { childInclusiveTokenUsageBySessionId: children };

  const usage = childUsage(ApiSession.parse(session({ sessionSettings })));

  assert.deepEqual(usage.get('s2'), { usage: { inputTokens: 5 }, raw: { inputTokens: 5 } });
  assert.deepEqual(usage.get('s3'), { usage: null, raw: { inputTokens: 'many' } });
  assert.deepEqual(usage.get('s4'), { usage: null, raw: 7 });
});

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('A26: a text file goes as base64 and as text, a PDF and other bytes as base64 alone', () => {
  assert.deepEqual(fileAttachment('a.txt', bytesOf('hé')), {
    name: 'a.txt',
    parsedData: 'hé',
    data: 'aMOp',
  });
  assert.deepEqual(fileAttachment('a.pdf', bytesOf('%PDF-1.7')), {
    name: 'a.pdf',
    data: 'JVBERi0xLjc=',
  });
  assert.deepEqual(fileAttachment('a.bin', Uint8Array.of(255, 0)), { name: 'a.bin', data: '/wA=' });
  assert.deepEqual(fileAttachment('empty', Uint8Array.of()), { name: 'empty', parsedData: '' });
});

const riff = (kind: string): Uint8Array => new TextEncoder().encode(`RIFF1234${kind}VP8 `);

test('A27: PNG, JPEG, GIF and WebP are images, other bytes are not', () => {
  const images = [
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0),
    Uint8Array.of(0xff, 0xd8, 0xff, 0xe0),
    Uint8Array.of(0xff, 0xd8, 0xff, 0xdb),
    new TextEncoder().encode('GIF87a..'),
    new TextEncoder().encode('GIF89a..'),
    riff('WEBP'),
  ];

  for (const bytes of images) {
    assert.equal(imageAttachment(bytes).data, Buffer.from(bytes).toString('base64'));
  }
  const large = new Uint8Array(100_000).fill(7);
  large.set(images[0] ?? []);
  assert.equal(imageAttachment(large).data, Buffer.from(large).toString('base64'));
  for (const bytes of [riff('WAVE'), Uint8Array.of(), Uint8Array.of(0xff, 0xd8, 0)]) {
    assert.throws(() => imageAttachment(bytes));
  }
});

const dateText = (value: number): string | undefined => {
  const { createdAt } = Message.parse(message({ createdAt: value }));
  const epoch: EpochUnknown = createdAt;
  return dateOfEpoch(epoch)?.toISOString();
};

test('acceptance 116, 156, A08: a time of unknown unit is read as seconds or milliseconds by its size', () => {
  assert.equal(dateText(1_773_000_000), '2026-03-08T20:00:00.000Z');
  assert.equal(dateText(1_773_000_000_000), '2026-03-08T20:00:00.000Z');
  assert.equal(dateText(1e14), undefined);
  assert.equal(dateText(-1), undefined);
});

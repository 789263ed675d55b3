import assert from 'node:assert/strict';
import { test } from 'node:test';

import { silentLog } from '../../src/platform/log.ts';
import { whyForgotten } from '../../src/reply/held-question.ts';
import { createReplyDesk } from '../../src/reply/reply-desk.ts';
import { sampleShownQuestion } from '../support/sample-views.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { session } from '../vendor/client/samples.ts';
import { json, openService } from '../vendor/client/service.ts';

const message = { id: 'm1', role: 'user', content: [{ text: 'Go' }], createdAt: 1, updatedAt: 1 };
const added = { messageId: 'm1', status: 'running' };
const reply = { sessionId: 's1', text: 'Go', key: 'k1' };

async function openDesk(...answers: readonly ReturnType<typeof json>[]) {
  const service = await openService(...answers);
  const directory = await temporaryDirectory();
  const desk = createReplyDesk({
    api: { get: async () => service.client() },
    paths: { replies: directory.path },
    now: () => 1_700_000_000_000,
    log: silentLog,
  });
  return {
    desk,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}

test('createReplyDesk() sends a reply once, and gives an identical one its outcome', async () => {
  await using place = await openDesk(json(session()), json(added), json(message), json(message));

  const [first, second] = await Promise.all([place.desk(reply), place.desk(reply)]);

  assert.ok(first.type === 'sent' && second.type === 'sent');
  assert.equal(first.lines.length, 3, 'verified, its message, and what the agent does');
  assert.ok(first.lines.includes('Message m1'));
  assert.match(second.lines[0] ?? '', /already sent/);
  assert.equal(second.lines.length, 3);
});

test('createReplyDesk() describes a refusal, and sends the same reply later', async () => {
  await using place = await openDesk(
    json({}, 404),
    json(session()),
    json(added),
    json({ ...message, isError: true }),
  );

  assert.equal((await place.desk(reply)).type, 'refused');
  const later = await place.desk(reply);
  assert.ok(later.type === 'sent');
  assert.equal(later.lines.length, 4, 'and that it is marked as an error');
});

test('whyForgotten() has a reason once an answer is old', () => {
  const answer = { choice: 'allow', by: 'ada', via: 'page', at: 1_000 } as const;
  const { question } = sampleShownQuestion({ answer });
  const old = 1_000 + 3_600_000;

  assert.equal(whyForgotten(question, old - 1), null);
  assert.notEqual(whyForgotten(question, old), null);
  assert.equal(whyForgotten({ ...question, answer: null }, old), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { AuthError } from '../../src/vendor/client/index.ts';
import { sendReply } from '../../src/reply/send-reply.ts';
import { session } from '../vendor/client/samples.ts';
import { json, openService, rejection } from '../vendor/client/service.ts';

const TEXT = 'Use PostgreSQL.\nAnd a caf\u00e9.';

const readBack: readonly (readonly [string, unknown, string])[] = [
  ['the same text', [{ text: TEXT }], 'same'],
  ['a text that was trimmed', [{ text: TEXT.trim() }], 'same'],
  ['other line ends', [{ text: TEXT.replaceAll('\n', '\r\n') }], 'same'],
  ['the attachment in a second block', [{ text: TEXT }, { text: 'notes.txt: …' }], 'same'],
  ['blocks without a text', [{ id: 'b1' }, { text: TEXT }], 'same'],
  ['no content yet', [], 'pending'],
  ['an empty text', [{ text: '' }], 'pending'],
  ['another text', [{ text: 'Use MySQL.' }], 'different'],
  ['a text that only begins so', [{ text: `${TEXT} Not.` }], 'different'],
];
for (const [what, content, state] of readBack) {
  test(`C10: sendReply() reads ${what} back as ${state}`, async () => {
    const message = { id: 'm1', role: 'user', content, createdAt: 1, updatedAt: 1 };
    await using service = await openService(
      json(session()),
      json({ messageId: 'm1', status: 'running' }),
      json(message),
    );

    const { receipt } = await sendReply(
      { sessionId: 's1', text: `${TEXT} `, key: null },
      {
        api: service.client(),
        journal: { read: () => null, begin: () => true, write: () => {}, forget: () => {} },
        now: () => 0,
        pid: 1,
        isAlive: () => true,
        sleep: () => Promise.resolve(),
      },
    );

    assert.deepEqual(receipt, { state, isError: false });
  });
}

test('C11: a refused access token gets the advice for access tokens, not for keys', async () => {
  await using service = await openService(json({}, 401));
  const api = service.client({ jwt: 'token-for-tests-1234567890' });

  const refused = await rejection(api.sessions.get({ sessionId: 's1' }), AuthError);
  const key = await rejection(service.client().sessions.get({ sessionId: 's1' }), AuthError);

  assert.match(refused.hint ?? '', /access token in api.jwt is invalid, expired or revoked/);
  assert.doesNotMatch(refused.hint ?? '', /settings\/api-keys/);
  assert.match(key.hint ?? '', /settings\/api-keys/);
});

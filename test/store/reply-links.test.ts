import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decideNothing, NOW, sampleRecord, temporaryStore } from '../support/store.ts';

const DAY = 86_400_000;

test('useReplyLink() is true for one caller alone, and for none once the link has expired', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'e' })], decideNothing);
  const link = { eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 };
  await store.addReplyLink({ ...link, tokenHash: 'a' });
  await store.addReplyLink({ ...link, tokenHash: 'late' });

  const uses = await Promise.all([store.useReplyLink('a', NOW), store.useReplyLink('a', NOW)]);

  assert.deepEqual(uses, [true, false]);
  assert.equal(await store.useReplyLink('late', NOW + 10), false);
  assert.equal(await store.useReplyLink('unknown', NOW), false);
});

test('settleReplyLink() keeps what became of a link, and frees one whose reply was refused', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'e' })], decideNothing);
  await store.addReplyLink({ tokenHash: 'a', eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 });

  await store.useReplyLink('a', NOW);
  await store.settleReplyLink('a', 'refused', NOW);
  assert.equal((await store.replyLink('a'))?.usedAt, null);
  await store.useReplyLink('a', NOW + 1);
  await store.settleReplyLink('a', 'sent', NOW + 2);

  const { usedAt, outcome } = (await store.replyLink('a')) ?? {};
  assert.deepEqual([usedAt, outcome], [NOW + 1, 'sent']);
});

test('useReplyLink() is true for one link alone of all to an event, and the others say what became of that', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'e' }), sampleRecord({ id: 'f' })], decideNothing);
  const times = { createdAt: NOW, expiresAt: NOW + 10 };
  await store.addReplyLink({ ...times, tokenHash: 'pop-up', eventId: 'e' });
  await store.addReplyLink({ ...times, tokenHash: 'mail', eventId: 'e' });
  await store.addReplyLink({ ...times, tokenHash: 'other', eventId: 'f' });

  await store.useReplyLink('pop-up', NOW);
  const second = await store.useReplyLink('mail', NOW);
  await store.settleReplyLink('pop-up', 'refused', NOW);
  const third = await store.useReplyLink('mail', NOW);
  await store.settleReplyLink('mail', 'sent', NOW);
  await store.settleReplyLink('pop-up', 'refused', NOW);

  assert.deepEqual([second, third], [false, true]);
  const found = await Promise.all(['pop-up', 'mail', 'other'].map((one) => store.replyLink(one)));
  assert.deepEqual(
    found.map((link) => [link?.tokenHash, link?.usedAt, link?.outcome]),
    [
      ['pop-up', NOW, 'sent'],
      ['mail', NOW, 'sent'],
      ['other', null, null],
    ],
  );
});

test('reply links go with their event, and a week after their end', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.accept([sampleRecord({ id: 'e' }), sampleRecord({ id: 'f' })], decideNothing);
  await store.addReplyLink({ tokenHash: 'a', eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 });

  const later = NOW + 8 * DAY;
  await store.addReplyLink({
    tokenHash: 'b',
    eventId: 'f',
    createdAt: later,
    expiresAt: later + DAY,
  });
  assert.equal(await store.replyLink('a'), null);
  await store.prune({ keepMs: 0, before: NOW, maxBytes: 0 });

  assert.equal(await store.replyLink('b'), null);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decideNothing, NOW, sampleRecord, temporaryStore } from '../support/store.ts';

const DAY = 86_400_000;

test('useReplyLink() is true for one caller alone, and for none once the link has expired', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'e' })], decideNothing);
  const link = { eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 };
  await store.replyLinks.add({ ...link, tokenHash: 'a' });
  await store.replyLinks.add({ ...link, tokenHash: 'late' });

  const uses = await Promise.all([store.replyLinks.use('a', NOW), store.replyLinks.use('a', NOW)]);

  assert.deepEqual(uses, [true, false]);
  assert.equal(await store.replyLinks.use('late', NOW + 10), false);
  assert.equal(await store.replyLinks.use('unknown', NOW), false);
});

test('recordReplyLinkOutcome() stores the outcome of a link, and frees one whose reply was refused', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'e' })], decideNothing);
  await store.replyLinks.add({ tokenHash: 'a', eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 });

  await store.replyLinks.use('a', NOW);
  await store.replyLinks.recordOutcome('a', 'refused', NOW);
  assert.equal((await store.replyLinks.find('a'))?.usedAt, null);
  await store.replyLinks.use('a', NOW + 1);
  await store.replyLinks.recordOutcome('a', 'sent', NOW + 2);

  const { usedAt, outcome } = (await store.replyLinks.find('a')) ?? {};
  assert.deepEqual([usedAt, outcome], [NOW + 1, 'sent']);
});

test('useReplyLink() is true for only one of the links to an event, and the others report its outcome', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ id: 'e' }), sampleRecord({ id: 'f' })], decideNothing);
  const times = { createdAt: NOW, expiresAt: NOW + 10 };
  await store.replyLinks.add({ ...times, tokenHash: 'pop-up', eventId: 'e' });
  await store.replyLinks.add({ ...times, tokenHash: 'mail', eventId: 'e' });
  await store.replyLinks.add({ ...times, tokenHash: 'other', eventId: 'f' });

  await store.replyLinks.use('pop-up', NOW);
  const second = await store.replyLinks.use('mail', NOW);
  await store.replyLinks.recordOutcome('pop-up', 'refused', NOW);
  const third = await store.replyLinks.use('mail', NOW);
  await store.replyLinks.recordOutcome('mail', 'sent', NOW);
  await store.replyLinks.recordOutcome('pop-up', 'refused', NOW);

  assert.deepEqual([second, third], [false, true]);
  const found = await Promise.all(
    ['pop-up', 'mail', 'other'].map((one) => store.replyLinks.find(one)),
  );
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
  await store.events.accept([sampleRecord({ id: 'e' }), sampleRecord({ id: 'f' })], decideNothing);
  await store.replyLinks.add({ tokenHash: 'a', eventId: 'e', createdAt: NOW, expiresAt: NOW + 10 });

  const later = NOW + 8 * DAY;
  await store.replyLinks.add({
    tokenHash: 'b',
    eventId: 'f',
    createdAt: later,
    expiresAt: later + DAY,
  });
  assert.equal(await store.replyLinks.find('a'), null);
  await store.upkeep.prune({ keepMs: 0, before: NOW, maxBytes: 0 });

  assert.equal(await store.replyLinks.find('b'), null);
});

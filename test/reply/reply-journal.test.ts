import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';

import type { ReplyRecord } from '../../src/reply/reply-journal.ts';
import { replyJournal } from '../../src/reply/reply-journal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const record: ReplyRecord = {
  sessionId: 's',
  startedAt: 1,
  pid: 1,
  state: 'unknown',
  before: { status: 'idle', messageCount: 1, updatedAt: 1 },
  messageId: null,
  words: 'a hash',
};

test('replyJournal().begin() lets one alone of two that found the same former record take its place', async () => {
  await using directory = await temporaryDirectory();
  const journal = replyJournal(directory.path, () => 1);
  journal.write('reply', record);
  const former = journal.read('reply');
  const sending: ReplyRecord = { ...record, startedAt: 2, state: 'sending' };

  const begun = [
    journal.begin('reply', sending, former),
    journal.begin('reply', { ...sending, startedAt: 3 }, former),
  ];

  assert.deepEqual(begun, [true, false]);
  assert.deepEqual(journal.read('reply'), sending);
  assert.deepEqual(await readdir(directory.path), ['reply.json']);
});

test('replyJournal().begin() lets only one of two begin without a record', async () => {
  await using directory = await temporaryDirectory();
  const journal = replyJournal(directory.path, () => 1);

  const begun = [journal.begin('reply', record, null), journal.begin('reply', record, null)];

  assert.deepEqual(begun, [true, false]);
});

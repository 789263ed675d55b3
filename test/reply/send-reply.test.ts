import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { FailedError } from '../../src/platform/errors.ts';
import type { ReplyRecord } from '../../src/reply/reply-journal.ts';
import {
  OtherReplyError,
  type Reply,
  type ReplyParts,
  sendReply,
  UnknownReplyError,
} from '../../src/reply/send-reply.ts';
import { session } from '../vendor/client/samples.ts';
import { json, openService } from '../vendor/client/service.ts';

const NOW = 1_700_000_000_000;
const idle = session();
const moved = session({ messageCount: 5, updatedAt: 1_773_000_200_000 });
const added = { messageId: 'm1', status: 'running' };
const message = { id: 'm1', role: 'user', content: [{ text: 'Go' }], createdAt: 1, updatedAt: 1 };
const reply: Reply = { sessionId: 's1', text: 'Go', key: null };

/** What an earlier attempt has recorded, ten seconds ago. */
function recorded(fields: Partial<ReplyRecord> = {}): ReplyRecord {
  const before = { status: 'idle', messageCount: 4, updatedAt: 1_773_000_100_000 };
  const attempt = { sessionId: 's1', startedAt: NOW - 10_000, pid: 7, words: '' } as const;
  return { ...attempt, state: 'unknown', before, messageId: null, ...fields };
}

/** Sends while the service gives these answers; every step in the order of its call. */
async function sent(
  answers: readonly unknown[],
  {
    former,
    given = reply,
    ...parts
  }: Partial<Omit<ReplyParts, 'journal'>> & {
    readonly former?: ReplyRecord;
    readonly given?: Reply;
  } = {},
) {
  await using service = await openService(...answers.map((answer) => json(answer)));
  const steps: string[] = [];
  const records: ReplyRecord[] = [];
  let words = '';
  const result = await sendReply(given, {
    api: service.client(),
    journal: {
      // A record has a hash of the text, which is that of this reply unless the test says otherwise.
      read: (name) => (former === undefined ? null : { ...former, words: former.words || name }),
      begin: (name, record) => {
        steps.push('begin');
        records.push(record);
        words = name;
        return true;
      },
      write: (_name, record) => {
        steps.push(record.state);
        records.push(record);
      },
      forget: (name) => void steps.push(name === words ? 'forget' : 'forget another'),
    },
    now: () => NOW,
    pid: 42,
    isAlive: () => false,
    sleep: async (ms) => void steps.push(`sleep ${ms}`),
    onSending: () => void steps.push('sending'),
    ...parts,
  }).then(
    (done) => ({ done, error: null }),
    (error: unknown) => ({ done: null, error }),
  );
  return { ...result, steps, records };
}

const receiptOf = async (answer: object) => {
  const { done } = await sent([idle, added, answer]);
  return done?.receipt;
};

describe('sendReply()', () => {
  test('records the reply before it is sent, and its message after that', async () => {
    const { done, steps, records } = await sent([idle, added, message]);

    assert.deepEqual(steps, ['begin', 'sending', 'delivered']);
    assert.deepEqual(records[0], {
      ...recorded({ startedAt: NOW, pid: 42, state: 'sending' }),
      words: records[0]?.words,
    });
    assert.deepEqual(records[1], { ...records[0], state: 'delivered', messageId: 'm1' });
    assert.ok(done !== null);
    const { acknowledge, ...rest } = done;
    assert.deepEqual(rest, {
      messageId: 'm1',
      status: 'running',
      inferred: false,
      earlier: false,
      receipt: { state: 'same', isError: false },
    });
    acknowledge();
    assert.equal(steps.at(-1), 'forget');
  });

  test('with a key is never forgotten, so that the same text is not sent again', async () => {
    const given = { ...reply, key: 'k1' };
    const { done, steps } = await sent([idle, added, message], { given });

    done?.acknowledge();

    assert.ok(!steps.includes('forget'));
  });

  test('reads back what the service shows of the message', async () => {
    assert.equal((await receiptOf({ ...message, role: 'assistant' }))?.state, 'different');
    assert.deepEqual(await receiptOf({ ...message, isError: true }), {
      state: 'same',
      isError: true,
    });
    assert.deepEqual(await receiptOf({}), { state: 'unreadable', isError: false });
  });

  test('forgets a reply that the service refuses, and nothing before it began', async () => {
    await using service = await openService(json(idle), json({}, 403), json({}, 404));
    const steps: string[] = [];
    const attempt = (begin: boolean) =>
      sendReply(reply, {
        api: service.client(),
        journal: {
          read: () => null,
          begin: () => begin,
          write: (_name, { state }) => void steps.push(state),
          forget: () => void steps.push('forget'),
        },
        now: () => NOW,
        pid: 42,
        isAlive: () => false,
        sleep: () => Promise.resolve(),
      });

    await assert.rejects(attempt(true));
    assert.deepEqual(steps, ['forget']);
    await assert.rejects(attempt(true));
    assert.deepEqual(steps, ['forget']);
  });
});

const isAlive = (pid: number) => pid === 7;

describe('sendReply() after an earlier attempt', () => {
  const sentEarlier = {
    inferred: true,
    earlier: true,
    messageId: null,
    receipt: null,
    status: null,
  };

  test('that was delivered sends nothing, and reads the message', async () => {
    const former = recorded({ state: 'delivered', messageId: 'm1' });
    const { done, steps } = await sent([message], { former });

    const { messageId, earlier, inferred, receipt } = done ?? {};
    assert.deepEqual([messageId, earlier, inferred, receipt?.state], ['m1', true, false, 'same']);
    assert.deepEqual(steps, ['delivered']);
  });

  test('with another text under the same key sends nothing', async () => {
    const former = recorded({ state: 'delivered', messageId: 'm1', words: 'of another text' });
    const { error } = await sent([message], { former });

    assert.ok(error instanceof OtherReplyError);
  });

  test('whose process still sends is left to it, for ten minutes', async () => {
    const former = (ago: number) => recorded({ state: 'sending', startedAt: NOW - ago });

    const early = await sent([], { former: former(599_999), isAlive });
    assert.ok(early.error instanceof FailedError);
    const late = await sent([moved], { former: former(600_000), isAlive });
    assert.deepEqual(late.steps, ['delivered']);
    const dead = await sent([moved], { former: former(1), isAlive: () => false });
    assert.deepEqual(dead.steps, ['delivered']);
    const unknown = await sent([moved], { former: recorded(), isAlive });
    assert.deepEqual(unknown.steps, ['delivered'], 'no process sends it');
  });

  test('that the session shows is taken for delivered', async () => {
    const { done } = await sent([moved], { former: recorded() });

    const { inferred, earlier, messageId, receipt, status } = done ?? {};
    assert.deepEqual({ inferred, earlier, messageId, receipt, status }, sentEarlier);
  });

  test('that the session does not show is sent, at first after a look more', async () => {
    const old = await sent([idle, idle, added, message], { former: recorded() });
    assert.deepEqual(old.steps, ['begin', 'sending', 'delivered']);

    const recent = recorded({ startedAt: NOW - 9_999 });
    const again = await sent([idle, idle, idle, added, message], { former: recent });
    assert.deepEqual(again.steps, ['sleep 2000', 'begin', 'sending', 'delivered']);
    const late = await sent([idle, moved], { former: recent });
    assert.deepEqual(late.steps, ['sleep 2000', 'delivered']);
  });

  test('is unknown where the session has changed for another reason', async () => {
    const changes = [session({ updatedAt: 1 }), session({ messageCount: 3, updatedAt: 1 })];
    for (const changed of changes) {
      const { error } = await sent([changed], { former: recorded() });
      assert.ok(error instanceof UnknownReplyError);
    }
    const before = { status: 'running', messageCount: 4, updatedAt: 1_773_000_100_000 };
    const { error, steps } = await sent([moved], { former: recorded({ before }) });
    assert.ok(error instanceof UnknownReplyError, 'a busy agent has written');
    assert.deepEqual(steps, []);
  });
});

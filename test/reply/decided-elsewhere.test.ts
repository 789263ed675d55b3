import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { RunningChannel } from '../../src/delivery/running-channel.ts';
import { silentLog } from '../../src/platform/log.ts';
import { createPopUpReplies } from '../../src/reply/pop-up-replies.ts';
import { fakeChannel } from '../support/fake-channel.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

test('a refused decision of a person at a hub is reported to that person, with what was typed', async () => {
  await using directory = await temporaryDirectory();
  const given: unknown[] = [];
  const team = fakeChannel({ now: () => 1 });
  const running: RunningChannel = {
    name: 'team',
    type: 'slack',
    channel: team.channel,
    limits: team.limits,
    audience: 'person',
    reach: 'far',
    can: {},
    problem: null,
  };
  const replies = createPopUpReplies({
    endpoints: { answerLink: () => Promise.reject(new Error('No link')), onLook() {} },
    decisions: {
      find: () => Promise.resolve({ type: 'unknown' }),
      markReadable() {},
      answer(id, answer) {
        given.push([id, answer.channel, answer.by]);
        const reason = 'Answered in the terminal at 12:03';
        return Promise.resolve({ ok: false, reason, person: 'ada@example.com' });
      },
    },
    paths: { runtime: directory.path, replies: directory.path },
    env: {},
    platform: 'linux',
    channels: () => new Map([['team', running]]),
    now: () => 1,
    newId: () => 'id',
    log: silentLog,
  });

  await replies.decide('team', {
    question: 'question',
    requestHash: 'hash',
    choice: 'deny',
    option: null,
    words: 'Use staging',
    by: 'Slack member T0:U0ADA',
  });

  assert.deepEqual(given, [['question', 'team', 'Slack member T0:U0ADA']]);
  const { title, body, recipient } = team.sent[0]?.notification ?? {};
  assert.equal(title, 'Answered in the terminal at 12:03');
  assert.match(body ?? '', /Use staging/);
  assert.deepEqual(recipient, { type: 'found', address: 'ada@example.com', isOutside: false });
});

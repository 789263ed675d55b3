import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRemoteQuestions } from '../../src/hub/remote-questions.ts';
import { silentLog } from '../../src/platform/log.ts';
import { manualClock } from '../support/manual-clock.ts';

const never = (): never => assert.fail('not used');

test('createRemoteQuestions() reads the questions immediately, and then once in 150 ms, whatever the number of notifications', async () => {
  const clock = manualClock();
  let reads = 0;
  const questions = createRemoteQuestions({
    store: {
      open: () => {
        reads += 1;
        return Promise.resolve([]);
      },
      records: never,
      give: never,
      refuse: never,
      isUnderWay: never,
      find: never,
      expire: never,
    },
    directory: { personOf: () => null },
    personBehind: () => Promise.resolve(null),
    mayAnswer: () => false,
    onChange: () => {},
    now: clock.now,
    random: () => new Uint8Array(),
    startTimer: clock.startTimer,
    log: silentLog,
  });

  questions.wake();
  await clock.settle();
  assert.equal(reads, 1);
  for (let index = 0; index < 100; index += 1) {
    questions.wake();
    await clock.settle();
  }
  assert.equal(reads, 1);
  await clock.advance(149);
  assert.equal(reads, 1);
  await clock.advance(1);
  assert.equal(reads, 2, 'what came meanwhile is read');
  await clock.advance(1_000);
  assert.equal(reads, 2);
  questions.wake();
  await clock.settle();
  assert.equal(reads, 3, 'immediately again after a rest');
  await questions.stop();
  assert.equal(clock.pending, 0);
});

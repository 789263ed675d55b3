import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { askRunning } from '../../src/delivery/look-up.ts';
import { lookUpStage } from '../support/look-up-stage.ts';
import { sampleSession } from '../support/store.ts';

function ended(sessionId: string) {
  return sampleSession({ key: sessionId, sessionId, agent: 'droid', state: 'done' });
}

describe('askRunning()', () => {
  test('distinguishes running and pending from idle and unknown, and asks even about cached sessions', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, asked } = stage;
    const ids = (['pending', 'running', 'idle'] as const).map(
      (wanted) => service.state().sessions.find(({ status }) => status === wanted)?.sessionId ?? '',
    );
    for (const id of ids) await lookUp.ask(id);
    const before = asked().length;
    await clock.advance(1);

    const runningOf = await askRunning([...ids, 'no-such'].map(ended), {
      lookUp,
      now: clock.now,
      startTimer: clock.startTimer,
    });

    assert.deepEqual([...ids, 'no-such'].map(runningOf), ['yes', 'yes', 'no', 'unknown']);
    assert.equal(runningOf('nobody asked'), null);
    assert.equal(asked().length - before, 4);
  });

  test('waits 800 ms at most, and takes nothing said before for an answer', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, service, received, asked } = stage;
    const running = service.state().sessions.find(({ status }) => status === 'running');
    assert.ok(running);
    await lookUp.ask(running.sessionId);
    await clock.advance(1);
    service.fault({ effect: { kind: 'hang' } });

    const count = asked().length + 1;
    const asking = askRunning([ended(running.sessionId)], {
      lookUp,
      now: clock.now,
      startTimer: clock.startTimer,
    });
    await received(count);
    await clock.advance(800);

    assert.equal((await asking)(running.sessionId), 'unknown');
  });

  test('asks nothing about a session that went on since its turn ended', async () => {
    await using stage = await lookUpStage();
    const { lookUp, clock, asked } = stage;

    const runningOf = await askRunning([{ ...ended('s1'), state: 'working' }], {
      lookUp,
      now: clock.now,
      startTimer: clock.startTimer,
    });

    assert.deepEqual([runningOf('s1'), asked()], ['unknown', []]);
  });
});

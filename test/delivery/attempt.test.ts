import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'node:test';
import { retry } from '../../src/core/outcome.ts';
import { runAttempt } from '../../src/delivery/attempt.ts';
import { manualClock } from '../support/manual-clock.ts';

describe('runAttempt()', () => {
  test('begins stopped when the daemon is stopping already', async () => {
    const { startTimer } = manualClock();

    const { outcome } = await runAttempt({
      send: async (signal) => retry(signal.aborted ? 'Stopped before it was sent' : 'Sent'),
      timeoutMs: 1_000,
      shutdown: AbortSignal.abort(),
      startTimer,
    });

    assert.deepEqual(outcome, retry('Stopped before it was sent'));
  });

  test('leaves no timer and no listener behind', async () => {
    const clock = manualClock();
    const { signal } = new AbortController();

    await runAttempt({
      send: async () => retry('Not now'),
      timeoutMs: 1_000,
      shutdown: signal,
      startTimer: clock.startTimer,
    });

    assert.equal(clock.pending, 0);
    assert.deepEqual(getEventListeners(signal, 'abort'), []);
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sleepWithTimer } from '../../../src/vendor/client/wait.ts';

test('sleepWithTimer() waits, and gives up with the reason of the signal, before or meanwhile', async () => {
  const reason = new Error('Enough');
  const controller = new AbortController();
  await sleepWithTimer(1, controller.signal);

  const asleep = sleepWithTimer(2 ** 40, controller.signal);
  controller.abort(reason);

  await assert.rejects(asleep, (error) => error === reason);
  await assert.rejects(sleepWithTimer(1, controller.signal), (error) => error === reason);
  await assert.rejects(sleepWithTimer(1, AbortSignal.abort('text')), { cause: 'text' });
});

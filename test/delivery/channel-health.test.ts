import assert from 'node:assert/strict';
import test from 'node:test';

import type { ChannelState } from '../../src/core/delivery.ts';
import { delivered, retry } from '../../src/core/outcome.ts';
import { createChannelHealth, freshState } from '../../src/delivery/channel-health.ts';
import { silentLog } from '../../src/platform/log.ts';

test('createChannelHealth() saves a state once, however many outcomes of a batch led to it', async () => {
  const saved: ChannelState[] = [];
  const health = createChannelHealth(freshState('log'), {
    outbox: {
      saveChannelState(state) {
        saved.push(state);
        return Promise.resolve();
      },
    },
    now: () => 1,
    log: silentLog,
    onChange: () => {},
  });

  for (let outcome = 0; outcome < 3; outcome += 1) health.learn(delivered());
  await Promise.all([health.save(), health.save(), health.save()]);
  health.learn(delivered());
  await health.save();

  assert.equal(saved.length, 2);
  assert.equal(saved[1], health.state());
});

test('createChannelHealth() saves a state again that the store refused', async () => {
  let calls = 0;
  const health = createChannelHealth(freshState('log'), {
    outbox: {
      saveChannelState() {
        calls += 1;
        return calls === 1 ? Promise.reject(new Error('The disk is full')) : Promise.resolve();
      },
    },
    now: () => 1,
    log: silentLog,
    onChange: () => {},
  });

  await health.save();
  await health.save();

  assert.equal(calls, 2);
});

test('createChannelHealth() heeds a 429 after the clock was set back by more than any wait', () => {
  const now = 1_700_000_000_000;
  const before = { ...freshState('log'), notBefore: now + 2 * 3_600_000 };
  const health = createChannelHealth(before, {
    outbox: { saveChannelState: () => Promise.resolve() },
    now: () => now,
    log: silentLog,
    onChange: () => {},
  });

  health.learn(retry('It answered 429', { afterMs: 30_000 }));

  assert.equal(health.state().notBefore, now + 30_000);
});

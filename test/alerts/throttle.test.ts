import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { throttle } from '../../src/alerts/throttle.ts';
import { trafficAt } from '../../src/core/due.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

const noise = fc.record({
  burst: fc.record({
    atOnce: fc.integer({ min: 1, max: 5 }),
    windowMs: fc.integer({ min: 0, max: HOUR }),
  }),
  perSessionAnHour: fc.integer({ min: 1, max: 5 }),
  perChannelAnHour: fc.integer({ min: 1, max: 5 }),
  flapMs: fc.constant(0),
});
const times = fc
  .array(fc.integer({ min: NOW - 2 * HOUR, max: NOW }), { maxLength: 12 })
  .map((some) => some.toSorted((left, right) => left - right));

test('throttle() holds until a later time, and at that time not again for the same reason', () => {
  fc.assert(
    fc.property(times, times, noise, (channel, session, policy) => {
      const held = throttle(trafficAt(channel, session), policy, NOW);

      if (held === null) return;
      assert.ok(held.until > NOW && held.until <= NOW + HOUR);
      const then = throttle(trafficAt(channel, session), policy, held.until);
      assert.ok(then === null || then.reason !== held.reason, then?.reason);
    }),
    { numRuns: 500 },
  );
});

test('throttle() lets nothing through beyond a budget or a burst', () => {
  fc.assert(
    fc.property(times, times, noise, (channel, session, policy) => {
      const isFree = throttle(trafficAt(channel, session), policy, NOW) === null;
      const within = (sent: readonly number[], ms: number) =>
        sent.filter((at) => at > NOW - ms).length;

      assert.equal(
        isFree,
        within(channel, HOUR) < policy.perChannelAnHour &&
          within(session, HOUR) < policy.perSessionAnHour &&
          within(channel, policy.burst.windowMs) < policy.burst.atOnce,
      );
    }),
    { numRuns: 500 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { throttle } from '../../src/alerts/throttle.ts';
import type { Traffic } from '../../src/core/due.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const WAITS_AT_ONCE = 3;

interface Sent {
  readonly at: number;
  readonly isWait: boolean;
}

const noise = fc.record({
  burst: fc.record({
    atOnce: fc.integer({ min: 1, max: 5 }),
    windowMs: fc.integer({ min: 0, max: HOUR }),
  }),
  perSessionAnHour: fc.integer({ min: 1, max: 5 }),
  perChannelAnHour: fc.integer({ min: 1, max: 5 }),
  flapMs: fc.constant(0),
});
const messages = fc
  .array(fc.record({ at: fc.integer({ min: NOW - 2 * HOUR, max: NOW }), isWait: fc.boolean() }), {
    maxLength: 12,
  })
  .map((some) => some.toSorted((left, right) => left.at - right.at));
const kinds = fc.constantFrom('needs.permission', 'needs.input', 'turn.failed', 'turn.done');

const isOfWait = (kind: string): boolean => kind.startsWith('needs.');

/** The traffic of these messages, the oldest first. */
function trafficOf(channel: readonly Sent[], session: readonly Sent[]): Traffic {
  const nthOf =
    (sent: readonly Sent[]): Traffic['channel'] =>
    (nth, counted) =>
      sent.filter(({ isWait }) => counted === 'all' || isWait === (counted === 'waits')).at(-nth)
        ?.at ?? null;
  return { channel: nthOf(channel), session: nthOf(session), pausedUntil: () => 0 };
}

test('throttle() holds until a later time, and at that time not again for the same reason', () => {
  fc.assert(
    fc.property(messages, messages, noise, kinds, (channel, session, policy, kind) => {
      const traffic = trafficOf(channel, session);
      const held = throttle(traffic, policy, { kind, now: NOW });

      if (held === null) return;
      assert.ok(held.until > NOW && held.until <= NOW + HOUR);
      const then = throttle(traffic, policy, { kind, now: held.until });
      assert.ok(then === null || then.reason !== held.reason, then?.reason);
    }),
    { numRuns: 500 },
  );
});

test('throttle() lets nothing through beyond a budget or a burst, and news hold no wait', () => {
  fc.assert(
    fc.property(messages, messages, noise, kinds, (channel, session, policy, kind) => {
      const traffic = trafficOf(channel, session);
      const isFree = throttle(traffic, policy, { kind, now: NOW }) === null;
      const isWait = isOfWait(kind);
      const within = (sent: readonly Sent[], ms: number) => sent.filter((one) => one.at > NOW - ms);
      const own = (sent: readonly Sent[]) => sent.filter((one) => one.isWait === isWait).length;
      const inHour = (sent: readonly Sent[]) =>
        isWait ? own(within(sent, HOUR)) : within(sent, HOUR).length;
      const { atOnce, windowMs } = policy.burst;

      assert.equal(
        isFree,
        inHour(channel) < policy.perChannelAnHour &&
          inHour(session) < policy.perSessionAnHour &&
          own(within(channel, windowMs)) < (isWait ? Math.max(atOnce, WAITS_AT_ONCE) : atOnce),
      );
    }),
    { numRuns: 500 },
  );
});

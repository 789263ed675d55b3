import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { plan } from '../../src/alerts/plan.ts';
import { quietChannels, quietUntil } from '../../src/alerts/quiet.ts';
import type { QuietHours } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleEvent } from '../support/sample.ts';

const FRIDAY = 5;
/** Friday, 9 January 2026, 00:00 UTC. */
const friday = Date.UTC(2026, 0, 9);
const HOUR = 3_600_000;

const night: QuietHours = {
  from: 22 * 60,
  to: 7 * 60,
  timezone: 'UTC',
  days: [FRIDAY],
  letThrough: ['turn.failed'],
  meanwhile: { type: 'hold' },
};
const event = sampleEvent();

describe('quietUntil()', () => {
  const cases: readonly (readonly [string, QuietHours, number, number | null])[] = [
    ['on the evening of its day', night, friday + 23 * HOUR, friday + 31 * HOUR],
    ['on the morning after its day', night, friday + 30 * HOUR, friday + 31 * HOUR],
    ['at the minute of its end', night, friday + 31 * HOUR, null],
    ['on the morning of its day', night, friday + 6 * HOUR, null],
    ['on the evening after its day', night, friday + 47 * HOUR, null],
    [
      'of a whole day, from morning to morning',
      { ...night, from: 420, to: 420 },
      friday + 30 * HOUR,
      friday + 31 * HOUR,
    ],
    ['every day', { ...night, days: null }, friday + 6 * HOUR, friday + 7 * HOUR],
  ];
  for (const [name, quiet, now, expected] of cases) {
    test(`quietUntil(): ${name}`, () => {
      assert.equal(quietUntil(quiet, event, now), expected);
    });
  }

  test('quietUntil() is null without quiet hours, and for what is let through', () => {
    const failed = sampleEvent({ kind: 'turn.failed' });

    assert.equal(quietUntil(null, event, friday + 23 * HOUR), null);
    assert.equal(quietUntil(night, failed, friday + 23 * HOUR), null);
  });
});

describe('quietChannels()', () => {
  const elsewhere: QuietHours = {
    ...night,
    meanwhile: { type: 'channels', channels: ['inbox', 'desktop'] },
  };
  const policy = { ...samplePolicy, quietHours: elsewhere };

  function channels(notify: readonly string[], now: number): readonly string[] {
    const { messages } = plan([{ name: 'now', steps: [sampleStep(notify)] }], policy);
    return quietChannels(messages, { policy, event, now }).map(({ channel }) => channel);
  }

  test('quietChannels() adds the channels of the quiet hours, each once', () => {
    assert.deepEqual(channels(['desktop'], friday + 23 * HOUR), ['desktop', 'inbox']);
  });

  test('quietChannels() adds none outside the quiet hours, nor to what only programs hear', () => {
    assert.deepEqual(channels(['team'], friday + 12 * HOUR), ['team']);
    assert.deepEqual(channels(['log'], friday + 23 * HOUR), ['log']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { plan } from '../../src/alerts/plan.ts';
import { quietAt, quietChannels, quietFor } from '../../src/alerts/quiet.ts';
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

function quietUntil(quiet: QuietHours, of: typeof event, now: number): number | null {
  return quietFor([quiet], of, now)?.until ?? null;
}

describe('quietFor()', () => {
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
    test(`quietFor(): ${name}`, () => {
      assert.equal(quietUntil(quiet, event, now), expected);
    });
  }

  test('quietFor() is null without quiet hours, and for what is let through', () => {
    const failed = sampleEvent({ kind: 'turn.failed' });

    assert.equal(quietFor([], event, friday + 23 * HOUR), null);
    assert.equal(quietUntil(night, failed, friday + 23 * HOUR), null);
  });
});

describe('several windows (B16)', () => {
  const nightly: QuietHours = { ...night, days: null };
  const weekend: QuietHours = { ...night, from: 0, to: 0, days: [6, 0], letThrough: [] };

  test('quietAt() ends where the last of the windows ends that follow one another without a gap', () => {
    const windows = [nightly, weekend];

    // From Friday evening over the weekend to Monday, 07:00.
    assert.equal(quietAt(windows, friday + 23 * HOUR)?.until, friday + (3 * 24 + 7) * HOUR);
    assert.equal(quietAt(windows, friday + 36 * HOUR)?.until, friday + (3 * 24 + 7) * HOUR);
    assert.equal(quietAt(windows, friday + 5 * HOUR)?.until, friday + 7 * HOUR);
    assert.equal(quietAt(windows, friday + 12 * HOUR), null);
  });

  test('quietFor() is decided by the first window that holds, and by each one alone for what it lets through', () => {
    const discarding: QuietHours = { ...weekend, meanwhile: { type: 'discard' } };
    const saturdayNight = friday + 47 * HOUR;
    const failed = sampleEvent({ kind: 'turn.failed' });

    assert.equal(quietFor([nightly, discarding], event, saturdayNight)?.meanwhile.type, 'hold');
    assert.equal(quietFor([discarding, nightly], event, saturdayNight)?.meanwhile.type, 'discard');
    assert.equal(quietFor([nightly, discarding], failed, saturdayNight)?.meanwhile.type, 'discard');
    assert.equal(quietFor([nightly, discarding], failed, friday + 23 * HOUR), null);
  });

  test('quietAt() has an end even where windows of several zones leave no minute out', () => {
    const always: QuietHours = { ...night, from: 0, to: 0, days: null };

    assert.ok((quietAt([always], friday)?.until ?? 0) > friday);
  });
});

describe('quietChannels()', () => {
  const elsewhere: QuietHours = {
    ...night,
    meanwhile: { type: 'channels', channels: ['inbox', 'desktop'] },
  };
  const policy = { ...samplePolicy, quietHours: [elsewhere] };

  function channels(notify: readonly string[], now: number): readonly string[] {
    const { messages } = plan([{ name: 'now', steps: [sampleStep(notify)] }], policy);
    return quietChannels(messages, { policy, event, now }).map(({ channel }) => channel);
  }

  test('quietChannels() adds the channels of the quiet hours, each once', () => {
    assert.deepEqual(channels(['desktop'], friday + 23 * HOUR), ['desktop', 'inbox']);
  });

  test('quietChannels() adds none outside the quiet hours, nor to messages for programs only', () => {
    assert.deepEqual(channels(['team'], friday + 12 * HOUR), ['team']);
    assert.deepEqual(channels(['log'], friday + 23 * HOUR), ['log']);
  });
});

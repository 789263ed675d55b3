import * as fc from 'fast-check';

import type { Policy, QuietHours, Step } from '../../src/core/policy.ts';
import { samplePolicy } from './decisions.ts';

/** Channels people read; "log" serves programs. */
export const people = ['desktop', 'team', 'mail'] as const;

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe');
const minuteOfDay = fc.integer({ min: 0, max: 1_439 });
const channels = fc.uniqueArray(fc.constantFrom(...people, 'log'), { minLength: 1 });

const condition = fc.option(
  fc.record(
    {
      presence: fc.constantFrom('here', 'away'),
      attended: fc.boolean(),
      hours: fc.record({ from: minuteOfDay, to: minuteOfDay, timezone: zone }),
    },
    { requiredKeys: [] },
  ),
  { freq: 2 },
);

const step: fc.Arbitrary<Step> = fc.record({
  afterMs: fc.constantFrom(0, 0, 1_000, 60_000, 600_000, 8 * 3_600_000),
  notify: channels,
  repeat: fc.option(
    fc.record({
      everyMs: fc.constantFrom(1_000, 300_000),
      atMost: fc.integer({ min: 2, max: 4 }),
    }),
    { freq: 2 },
  ),
  condition,
});

const steps = fc
  .array(step, { maxLength: 4 })
  .map((some) => some.toSorted((left, right) => left.afterMs - right.afterMs));

/** Never the whole week: messages held then would never be sent. */
const quietWindow: fc.Arbitrary<QuietHours> = fc
  .record({
    from: minuteOfDay,
    to: minuteOfDay,
    timezone: zone,
    days: fc.option(fc.uniqueArray(fc.integer({ min: 0, max: 6 }), { maxLength: 6 })),
    letThrough: fc.constantFrom([], ['turn.failed'] as const),
    meanwhile: fc.oneof(
      fc.constant({ type: 'hold' as const }),
      fc.constant({ type: 'discard' as const }),
      channels.map((names) => ({ type: 'channels' as const, channels: names })),
    ),
  })
  .filter(({ from, to, days }) => from !== to || days !== null);

/** The second one leaves a gap in the day that the first one may leave out. */
const quietHours: fc.Arbitrary<readonly QuietHours[]> = fc
  .tuple(
    fc.option(quietWindow),
    fc.option(quietWindow.filter(({ from, to, days }) => from !== to && days?.length === 1)),
  )
  .map((windows) => windows.filter((window) => window !== null));

const noise = fc.record({
  burst: fc.record({
    atOnce: fc.integer({ min: 1, max: 3 }),
    windowMs: fc.constantFrom(1, 30_000, 3_600_000),
  }),
  perSessionAnHour: fc.integer({ min: 1, max: 20 }),
  perChannelAnHour: fc.integer({ min: 1, max: 20 }),
  flapMs: fc.constantFrom(0, 10_000),
});

/** Any policy the configuration can express, of two plans and some routes. */
export const arbitraryPolicy: fc.Arbitrary<Policy> = fc
  .record({
    first: steps,
    second: steps,
    also: fc.boolean(),
    onlyWaiting: fc.boolean(),
    quietHours,
    noise,
    expireAfterMs: fc.constantFrom(60_000, 3_600_000, 12 * 3_600_000),
    whenWatching: fc.constantFrom('ring', 'soften', 'suppress'),
    settleDelayMs: fc.constantFrom({}, { desktop: 700, team: 10_000 }),
    holdStop: fc.constantFrom(
      null,
      { forMs: 20_000, afterwards: 'tell' } as const,
      { forMs: 20_000, afterwards: 'drop' } as const,
    ),
  })
  .map(({ first, second, also, onlyWaiting, ...rest }) => ({
    ...samplePolicy,
    ...rest,
    plans: { first: { name: 'first', steps: first }, second: { name: 'second', steps: second } },
    routes: [
      {
        name: 'routes[0]',
        match: onlyWaiting ? { severity: ['warning'] } : {},
        plan: 'first',
        also,
      },
      { name: 'routes[1]', match: { subagent: false }, plan: 'second', also: false },
    ],
  }));

import { z } from 'zod';

import { duration, oneOrMore, orNull } from './units.ts';

const SESSION_ID = '{session_id}';

const computers = z
  .strictObject({
    ...pollIntervalKeys({ every: '1m', slowDownTo: '10m' }),
    provisioning_longer_than: duration({ min: '1s' })
      .prefault('15m')
      .describe('Notify if a computer has been provisioning for longer than this'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ provisioning_longer_than: provisioningMs, ...interval }) => ({
    pollInterval: pollIntervalOf(interval),
    provisioningMs,
  }));

const readiness = z
  .strictObject({
    ...pollIntervalKeys({ every: '1h', slowDownTo: '6h' }),
    repositories: z
      .array(z.string().min(1))
      .default([])
      .describe('Only these repositories: addresses, or ends of addresses such as acme/api'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ repositories, ...interval }) => ({
    pollInterval: pollIntervalOf(interval),
    repositories,
  }));

const controls = z
  .strictObject(pollIntervalKeys({ every: '10m', slowDownTo: '1h' }))
  .superRefine(refuseSpeedUp)
  .transform((interval) => ({ pollInterval: pollIntervalOf(interval) }));

const sessions = z
  .strictObject({
    ...pollIntervalKeys({ every: '30s', slowDownTo: '5m' }),
    pending_longer_than: duration({ min: '1s' })
      .prefault('5m')
      .describe('Notify if a session has been pending for longer than this'),
    tags: orNull(oneOrMore(z.string().min(1))).describe('Only sessions with one of these tags'),
    computers: orNull(oneOrMore(z.string().min(1))).describe(
      'Only sessions on one of these computers, by id',
    ),
    most: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe(
        'Maximum number of sessions to check, in the order in which the service lists them',
      ),
    link: orNull(
      z
        .url({ protocol: /^https?$/, error: 'is not a URL that begins with http:// or https://' })
        .refine((text) => text.includes(SESSION_ID), {
          error: `does not contain ${SESSION_ID}`,
        }),
    ).describe(
      `Address of a session's page, shown in notifications about it; ${SESSION_ID} stands for its id`,
    ),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ every, slow_down_to, pending_longer_than: pendingMs, ...filters }) => ({
    pollInterval: pollIntervalOf({ every, slow_down_to }),
    pendingMs,
    ...filters,
  }));

/** Pollers of the service; each is parsed to its policy, or null if it is off. */
export const watchSchema = z.strictObject({
  sessions: orNull(sessions).describe(
    'Notify when a session without a hook on this machine is idle, fails, or hangs',
  ),
  computers: orNull(computers).describe(
    'Notify when a computer fails, or takes too long to provision',
  ),
  readiness: orNull(readiness).describe(
    'Notify when a criterion of a readiness report has fallen since the previous clean report',
  ),
  controls: orNull(controls).describe(
    'Notify when a person changes an enterprise control, and mark changes that loosen it',
  ),
});

/** Keys of every poller. */
function pollIntervalKeys(usual: { readonly every: string; readonly slowDownTo: string }) {
  const interval = duration({ min: '1s', max: '1d' });
  return {
    every: interval.prefault(usual.every).describe('Poll interval while something changes'),
    slow_down_to: interval
      .prefault(usual.slowDownTo)
      .describe('Longest poll interval while nothing changes; it grows step by step'),
  };
}

type PollIntervalOptions = Readonly<Record<'every' | 'slow_down_to', number>>;

/** Poll interval: from `everyMs` while there are changes to `atMostMs` without changes. */
export type PollInterval = ReturnType<typeof pollIntervalOf>;

function pollIntervalOf({ every: everyMs, slow_down_to: atMostMs }: PollIntervalOptions) {
  return { everyMs, atMostMs };
}

/** Adds an issue if `slow_down_to` is shorter than `every`. */
function refuseSpeedUp(
  { every, slow_down_to: slow }: PollIntervalOptions,
  context: z.RefinementCtx,
): void {
  if (slow >= every) return;
  const message = 'is shorter than "every"';
  context.addIssue({ code: 'custom', path: ['slow_down_to'], message });
}

type WatchOptions = z.output<typeof watchSchema>;
export type SessionPollPolicy = NonNullable<WatchOptions['sessions']>;
export type ComputerWatchPolicy = NonNullable<WatchOptions['computers']>;
export type ReadinessWatchPolicy = NonNullable<WatchOptions['readiness']>;
export type ControlsWatchPolicy = NonNullable<WatchOptions['controls']>;

import { z } from 'zod';

import type {
  ComputerWatchPolicy,
  ControlsWatchPolicy,
  PollInterval,
  ReadinessWatchPolicy,
  SessionPollPolicy,
} from '../core/vendor-policy.ts';
import { duration } from './units.ts';
import { oneOrMore } from './hours-schema.ts';

const SESSION_ID = '{session_id}';

const computers = z
  .strictObject({
    ...paceKeys({ every: '1m', slowDownTo: '10m' }),
    provisioning_longer_than: duration({ min: '1s' })
      .prefault('15m')
      .describe('Notify if a computer is being provisioned for longer than this'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ provisioning_longer_than: provisioningMs, ...pace }): ComputerWatchPolicy => ({
    pace: paceOf(pace),
    provisioningMs,
  }));

const readiness = z
  .strictObject({
    ...paceKeys({ every: '1h', slowDownTo: '6h' }),
    repositories: z
      .array(z.string().min(1))
      .default([])
      .describe('Only these repositories: addresses, or ends of addresses such as acme/api'),
  })
  .superRefine(refuseSpeedUp)
  .transform(({ repositories, ...pace }): ReadinessWatchPolicy => ({
    pace: paceOf(pace),
    repositories,
  }));

const controls = z
  .strictObject(paceKeys({ every: '10m', slowDownTo: '1h' }))
  .superRefine(refuseSpeedUp)
  .transform((pace): ControlsWatchPolicy => ({ pace: paceOf(pace) }));

const sessions = z
  .strictObject({
    ...paceKeys({ every: '30s', slowDownTo: '5m' }),
    pending_longer_than: duration({ min: '1s' })
      .prefault('5m')
      .describe('Notify if a session is pending for longer than this'),
    tags: oneOrMore(z.string().min(1))
      .exactOptional()
      .describe('Only sessions with one of these tags'),
    computers: oneOrMore(z.string().min(1))
      .exactOptional()
      .describe('Only sessions on one of these computers, by id'),
    most: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe('Most sessions to check, in the order in which the service lists them'),
    link: z
      .url({ protocol: /^https?$/, error: 'is not a URL that begins with http:// or https://' })
      .refine((text) => text.includes(SESSION_ID), {
        error: `does not contain ${SESSION_ID}`,
      })
      .exactOptional()
      .describe(
        `Address of a session's page, shown in notifications about it; ${SESSION_ID} stands for its id`,
      ),
  })
  .superRefine(refuseSpeedUp)
  .transform(
    ({
      pending_longer_than: pendingMs,
      tags,
      computers: ids,
      most,
      link,
      ...pace
    }): SessionPollPolicy => ({
      pace: paceOf(pace),
      pendingMs,
      most,
      tags: tags ?? null,
      computers: ids ?? null,
      link: link ?? null,
    }),
  );

/** Pollers of the service; each is parsed to its policy. */
export const watchSchema = z.strictObject({
  sessions: sessions
    .exactOptional()
    .describe('Notify when a session without a hook on this machine is idle, fails, or hangs'),
  computers: computers
    .exactOptional()
    .describe('Notify when a computer fails, or is being provisioned for too long'),
  readiness: readiness
    .exactOptional()
    .describe('Notify when a criterion of a readiness report fell since the previous clean report'),
  controls: controls
    .exactOptional()
    .describe(
      'Notify when a person changes an enterprise control, and mark changes that loosen it',
    ),
});

/** Keys of every poller. */
function paceKeys(usual: { readonly every: string; readonly slowDownTo: string }) {
  const interval = duration({ min: '1s', max: '1d' });
  return {
    every: interval.prefault(usual.every).describe('Poll interval while something changes'),
    slow_down_to: interval
      .prefault(usual.slowDownTo)
      .describe('Longest poll interval while nothing changes; it grows step by step'),
  };
}

interface PaceOptions {
  readonly every: number;
  readonly slow_down_to: number;
}

function paceOf({ every, slow_down_to: atMostMs }: PaceOptions): PollInterval {
  return { everyMs: every, atMostMs };
}

/** Adds an issue if `slow_down_to` is shorter than `every`. */
function refuseSpeedUp({ every, slow_down_to: slow }: PaceOptions, context: z.RefinementCtx): void {
  if (slow >= every) return;
  context.addIssue({
    code: 'custom',
    path: ['slow_down_to'],
    message: 'is shorter than "every"',
  });
}

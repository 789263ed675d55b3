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
      .describe('Tell of one that is being set up for longer than this'),
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
      .describe('Only these: addresses, or the ends of such as acme/api'),
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
      .describe('Tell of one that waits to run for longer than this'),
    tags: oneOrMore(z.string().min(1)).exactOptional().describe('Only sessions with one of them'),
    computers: oneOrMore(z.string().min(1))
      .exactOptional()
      .describe('Only sessions on one of these computers, by their ids'),
    most: z
      .int()
      .min(1)
      .max(1_000)
      .default(100)
      .describe('So many are looked at, in the order in which the service lists them'),
    link: z
      .url({ protocol: /^https?$/, error: 'is not a URL that begins with http:// or https://' })
      .refine((text) => text.includes(SESSION_ID), {
        error: `does not say where ${SESSION_ID} goes`,
      })
      .exactOptional()
      .describe(
        `Address of a session's page, shown with what is told of it; ${SESSION_ID} stands for its id`,
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

/** What is watched at the service; each part comes out as its policy. */
export const watchSchema = z.strictObject({
  sessions: sessions
    .exactOptional()
    .describe('Sessions that no hook here tells of: tell when one is idle, fails, or hangs'),
  computers: computers
    .exactOptional()
    .describe('Computers: tell when one fails, or is being set up for long'),
  readiness: readiness
    .exactOptional()
    .describe('Readiness reports: tell when a criterion fell against the clean report before'),
  controls: controls
    .exactOptional()
    .describe('Enterprise controls: tell who changed what, and mark what loosens them'),
});

/** Keys of a section about something that is looked at again and again. */
function paceKeys(usual: { readonly every: string; readonly slowDownTo: string }) {
  const interval = duration({ min: '1s', max: '1d' });
  return {
    every: interval
      .prefault(usual.every)
      .describe('How often the service is asked while something goes on'),
    slow_down_to: interval
      .prefault(usual.slowDownTo)
      .describe('How often while nothing does; it slows down step by step'),
  };
}

interface PaceOptions {
  readonly every: number;
  readonly slow_down_to: number;
}

function paceOf({ every, slow_down_to: atMostMs }: PaceOptions): PollInterval {
  return { everyMs: every, atMostMs };
}

/** An issue where the slow interval is the shorter one. */
function refuseSpeedUp({ every, slow_down_to: slow }: PaceOptions, context: z.RefinementCtx): void {
  if (slow >= every) return;
  context.addIssue({
    code: 'custom',
    path: ['slow_down_to'],
    message: 'is shorter than "every"',
  });
}

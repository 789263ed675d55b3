import type { z } from 'zod';
import type { PollInterval } from '../core/pace.ts';
import { duration } from './duration.ts';

/** Keys of a section about something that is looked at again and again. */
export function paceKeys(usual: { readonly every: string; readonly slowDownTo: string }) {
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

export function paceOf({ every, slow_down_to: atMostMs }: PaceOptions): PollInterval {
  return { everyMs: every, atMostMs };
}

/** An issue where the slow interval is the shorter one. */
export function refuseSpeedUp(
  { every, slow_down_to: slow }: PaceOptions,
  context: z.RefinementCtx,
): void {
  if (slow >= every) return;
  context.addIssue({
    code: 'custom',
    path: ['slow_down_to'],
    message: 'is shorter than "every"',
  });
}

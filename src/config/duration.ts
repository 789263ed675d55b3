import { z } from 'zod';

import { DURATION, parseDuration } from '../core/duration-text.ts';

const TEN_YEARS_MS = 3_650 * 86_400_000;

/**
 * A length of time as people write it; comes out in ms. A bare number is refused, since nobody can tell whether it
 * means seconds or milliseconds.
 *
 * @param options bounds, written like durations themselves; both included
 */
export function duration({ min = '0s', max = '3650d' }: { min?: string; max?: string } = {}) {
  const minMs = parseDuration(min) ?? 0;
  const maxMs = parseDuration(max) ?? TEN_YEARS_MS;
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? notADuration(input) : undefined) })
    .regex(DURATION, { error: ({ input }) => notADuration(input) })
    .transform((text, context) => {
      const ms = parseDuration(text) ?? Number.NaN;
      if (ms >= minMs && ms <= maxMs) return ms;
      const bound = ms < minMs ? `shorter than ${min}` : `longer than ${max}`;
      context.issues.push({ code: 'custom', input: text, message: `is ${bound}` });
      return z.NEVER;
    })
    .meta({ title: 'duration' });
}

/** Completes the sentence that begins with the name of the key. */
export function notADuration(input: unknown): string {
  return `is no length of time: ${JSON.stringify(input)} needs to be a number with a unit, such as 500ms, 30s, 2m, 1h30m or 90d`;
}

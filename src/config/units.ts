import { z } from 'zod';

import { DURATION, parseDuration } from '../text/duration.ts';

const SIZE = /^(\d{1,9})(B|kB|KB|MB|GB)$/;
const BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 };

/** A size such as "500MB" (units of 1,000); parsed to bytes. */
export function size({ min }: { min: string }) {
  return z
    .string({ error: ({ input }) => (typeof input === 'number' ? notASize(input) : undefined) })
    .regex(SIZE, { error: ({ input }) => notASize(input) })
    .transform((text, context) => {
      const bytes = parseSize(text);
      if (bytes >= parseSize(min)) return bytes;
      context.issues.push({ code: 'custom', input: text, message: `is smaller than ${min}` });
      return z.NEVER;
    })
    .meta({ title: 'size' });
}

function parseSize(text: string): number {
  const [, amount, unit] = SIZE.exec(text) ?? [];
  return Number(amount) * (BYTES[unit ?? ''] ?? Number.NaN);
}

function notASize(input: unknown): string {
  return `is not a size: ${JSON.stringify(input)}, expected a number with a unit, such as 200kB, 500MB or 2GB`;
}

const TEN_YEARS_MS = 3_650 * 86_400_000;

/**
 * A duration such as "1h30m"; parsed to ms. A bare number is refused, because it could mean seconds or milliseconds.
 *
 * @param options inclusive bounds, written as durations
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

/** Completes a sentence that begins with the name of the key. */
export function notADuration(input: unknown): string {
  return `is not a duration: ${JSON.stringify(input)}, expected a number with a unit, such as 500ms, 30s, 2m, 1h30m or 90d`;
}

import { z } from 'zod';

const SIZE = /^(\d{1,9})(B|kB|KB|MB|GB)$/;
const BYTES: Readonly<Record<string, number>> = { B: 1, kB: 1e3, KB: 1e3, MB: 1e6, GB: 1e9 };

/** An amount of memory such as "500MB" (units of 1,000); comes out in bytes. */
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
  return `is no size: ${JSON.stringify(input)} needs to be a number with a unit, such as 200kB, 500MB or 2GB`;
}

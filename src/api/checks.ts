import { z } from 'zod';
import { isUtcDay } from './utc-day.ts';

/* The parts parameters are made of. Unlike responses, parameters are checked strictly: a typo never travels. */

/** A day for `startDate` and `endDate`. */
export const dayParameter = z
  .string()
  .refine(isUtcDay, 'expected a day that exists, as YYYY-MM-DD');

/** An id, cursor or other text that says something. */
export const textParameter = z.string().min(1, 'expected a text that is not empty');

/** Page size of every paginated route but readiness. */
export const limitParameter = z
  .int('expected a whole number from 1 to 100')
  .min(1, 'expected a whole number from 1 to 100')
  .max(100, 'expected a whole number from 1 to 100');

/** A text of 1 to 63 characters: a computer's name or user. Characters are counted, not UTF-16 units. */
export const shortText = z.string().refine((value) => {
  const length = Array.from(value).length;
  return length >= 1 && length <= 63;
}, 'expected 1 to 63 characters');

/** An e-mail address, loosely: the directory decides, and hosts without a dot and other scripts exist. */
export const emailParameter = z
  .string()
  .max(320, 'expected an e-mail address')
  .regex(/^[^\s@<>]+@[^\s@<>]+$/, 'expected an e-mail address');

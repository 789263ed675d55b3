import { UsageError } from '../core/errors.ts';
import type { ControlRequest } from './control-server.ts';

type Query = ControlRequest['query'];

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 10_000;

/** @throws UsageError, as all readers here, for a value that cannot be meant */
export function limitOf(query: Query): number {
  const text = query.get('limit');
  if (text === null) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`The limit is "${text}", expected a whole number from 1 to ${MAX_LIMIT}`);
}

/** A whole number, such as a time or a length of time in ms. */
export function numberOf(query: Query, key: string, fallback?: number): number {
  const text = query.get(key);
  if (text === null && fallback !== undefined) return fallback;
  const number = Number(text ?? Number.NaN);
  if (Number.isSafeInteger(number)) return number;
  throw new UsageError(`"${key}" is no whole number of ms`);
}

export function listOf<const Name extends string>(
  query: Query,
  key: string,
  known: readonly Name[],
): readonly Name[] | null {
  const text = query.get(key);
  if (text === null) return null;
  return text.split(',').map((word) => {
    const name = known.find((candidate) => candidate === word);
    if (name !== undefined) return name;
    throw new UsageError(`Unknown ${key} "${word}", expected one of ${known.join(', ')}`);
  });
}

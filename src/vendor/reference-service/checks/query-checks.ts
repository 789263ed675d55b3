import { type Refusal, refuse } from '../call.ts';
import { addDays, dayOf, isDay, spanOf } from '../days.ts';
import type { Family } from '../http/errors.ts';
import type { Knobs } from '../keys.ts';
import type { World } from '../world.ts';

/** Says what is wrong with a value, or null. */
export type TextCheck = (value: string) => string | null;

/** The parameters a route takes. One it does not take is refused: the document offers no other. */
export interface QueryRules {
  readonly required?: readonly string[];
  readonly checks: Readonly<Record<string, TextCheck>>;
}

/** @returns the first thing wrong with a query, or null */
export function queryProblem(query: URLSearchParams, rules: QueryRules): string | null {
  const checks = new Map(Object.entries(rules.checks));
  for (const [name, value] of query) {
    const check = checks.get(name);
    if (check === undefined) return `Unknown parameter "${name}"`;
    if (query.getAll(name).length > 1) return `Parameter "${name}" is given more than once`;
    const problem = check(value);
    if (problem !== null) return `Parameter "${name}" ${problem}`;
  }
  const missing = rules.required?.find((name) => !query.has(name));
  return missing === undefined ? null : `Parameter "${missing}" is required`;
}

export const anyText: TextCheck = () => null;

export const isDate: TextCheck = (value) =>
  isDay(value) ? null : `is "${value}", expected a date written YYYY-MM-DD`;

export const isPageSize: TextCheck = (value) =>
  /^[1-9]\d{0,2}$/.test(value) && Number(value) <= 100
    ? null
    : `is "${value}", expected a whole number from 1 to 100`;

export const isPositive: TextCheck = (value) =>
  /^[1-9]\d*$/.test(value) ? null : `is "${value}", expected a positive whole number`;

export function isOnly(allowed: string): TextCheck {
  return (value) => (value === allowed ? null : `is "${value}", expected "${allowed}"`);
}

/**
 * What a range of days can have wrong beyond its form: data ends yesterday (UTC).
 *
 * @param maxSpan longest range, in days
 */
export function rangeProblem(
  query: ReadonlyMap<string, string>,
  now: number,
  maxSpan: number,
): string | null {
  const [start = '', end = ''] = [query.get('startDate'), query.get('endDate')];
  const today = dayOf(now);
  if (start >= today || end >= today) {
    return `Data is available through yesterday (UTC), "${addDays(today, -1)}"`;
  }
  if (end < start) return `endDate "${end}" is before startDate "${start}"`;
  if (spanOf(start, end) > maxSpan) return `The range is longer than ${maxSpan} days`;
  return null;
}

/** @returns why the credential of a request is not good enough for a family of routes, or null */
export function credentialProblem(
  authorization: string | undefined,
  family: Family,
  world: World,
  knobs: Knobs,
): Refusal | null {
  const { keyRing } = world;
  const caller = keyRing.find(authorization);
  if (caller !== undefined && knobs.revokesKey === true) keyRing.revoke(caller.name);
  if (caller === undefined || !keyRing.use(caller.name)) {
    return refuse(401, 'The API key is missing or invalid');
  }
  if (family === 'v0') return null;
  if (caller.name === 'jwt') return refuse(401, 'An access token is not an API key');
  const role = knobs.role ?? caller.role;
  if (family === 'analytics' && role !== 'owner' && role !== 'manager') {
    return refuse(403, `Role Manager or Owner is required, the key has role "${role}"`);
  }
  return null;
}

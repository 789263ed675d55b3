import { isDay } from './days.ts';
import { isJsonObject, type JsonObject } from '../../../src/platform/json.ts';

/** Says what is wrong with a value, or null. */
export type ValueCheck = (value: unknown) => string | null;

export type Fields = Readonly<Record<string, ValueCheck>>;

export const isString: ValueCheck = (value) =>
  typeof value === 'string' ? null : 'is not a string';

export const isNumber: ValueCheck = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? null : 'is not a number';

/** Both ends included. */
export function isNumberIn(min: number, max: number): ValueCheck {
  return (value) =>
    typeof value === 'number' && value >= min && value <= max
      ? null
      : `is not a number from ${min} to ${max}`;
}

/** Both ends included. */
export function isWholeIn(min: number, max = Number.MAX_SAFE_INTEGER): ValueCheck {
  return (value) =>
    Number.isSafeInteger(value) ? isNumberIn(min, max)(value) : 'is not a whole number';
}

export const isObject: ValueCheck = (value) => (isJsonObject(value) ? null : 'is not an object');

export const isNonEmpty: ValueCheck = (value) =>
  typeof value === 'string' && value !== '' ? null : 'is not a non-empty string';

export const isUuid: ValueCheck = (value) =>
  typeof value === 'string' && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value)
    ? null
    : 'is not a uuid';

export const isEmail: ValueCheck = (value) =>
  typeof value === 'string' && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? null : 'is not an e-mail';

export const isBase64: ValueCheck = (value) =>
  typeof value === 'string' && value !== '' && /^[A-Za-z\d+/]*={0,2}$/.test(value)
    ? null
    : 'is not base64';

/** 1 to 63 characters, counted as people count them. */
export const isShortName: ValueCheck = (value) => {
  const length = typeof value === 'string' ? Array.from(value).length : 0;
  return length >= 1 && length <= 63 ? null : 'is not a string of 1 to 63 characters';
};

export function isArrayOf(
  item: ValueCheck,
  size: { readonly min: number; readonly max: number } = { min: 0, max: Infinity },
): ValueCheck {
  return (value) => {
    if (!Array.isArray(value)) return 'is not an array';
    if (value.length < size.min || value.length > size.max) {
      return `has ${value.length} entries, expected ${size.min} to ${size.max}`;
    }
    for (const [index, entry] of value.entries()) {
      const problem = item(entry);
      if (problem !== null) return `[${index}] ${problem}`;
    }
    return null;
  };
}

/** An object with these fields and no other. */
export function hasFields(fields: Fields, required: readonly string[] = []): ValueCheck {
  const checks = new Map(Object.entries(fields));
  return (value) => (isJsonObject(value) ? fieldProblem(value, checks, required) : isObject(value));
}

function fieldProblem(
  value: JsonObject,
  checks: ReadonlyMap<string, ValueCheck>,
  required: readonly string[],
): string | null {
  for (const [name, field] of Object.entries(value)) {
    const check = checks.get(name);
    if (check === undefined) return `has the unknown field "${name}"`;
    const problem = check(field);
    if (problem !== null) return `has a wrong field "${name}": it ${problem}`;
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  return missing === undefined ? null : `lacks the field "${missing}"`;
}

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

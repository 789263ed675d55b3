import { isJsonObject, type JsonObject } from '../json-object.ts';

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

const tag = hasFields({ name: isString, metadata: isObject }, ['name']);

/** Settings that can be written: token usage is told, not set. */
const settings = hasFields({
  model: isString,
  specModeModel: isString,
  providerLockTimestamp: isString,
  assistantActiveTimeMs: isNumber,
  archivedAt: isString,
  tags: isArrayOf(tag),
  enabledToolIds: isArrayOf(isString),
  disabledToolIds: isArrayOf(isString),
});

export const sessionUpdate = hasFields({ sessionSettings: settings }, ['sessionSettings']);

export const newMessage = hasFields(
  {
    text: isNonEmpty,
    images: isArrayOf(hasFields({ data: isBase64 }, ['data'])),
    files: isArrayOf(
      hasFields({ data: isString, parsedData: isString, name: isString, path: isString }),
    ),
    computerId: isString,
  },
  ['text'],
);

export const computerUpdate = hasFields({
  name: isShortName,
  hostId: isUuid,
  remoteUser: isShortName,
});

const limitEntry = hasFields({ email: isEmail, limit: isNumber }, ['email', 'limit']);

export const limitsUpdate = hasFields({ users: isArrayOf(limitEntry, { min: 1, max: 100 }) }, [
  'users',
]);

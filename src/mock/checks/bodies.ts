import {
  hasFields,
  isArrayOf,
  isBase64,
  isEmail,
  isNonEmpty,
  isNumber,
  isObject,
  isShortName,
  isString,
  isUuid,
} from './body-checks.ts';

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

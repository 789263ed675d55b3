import { Secret } from '../../api/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import type { View } from './show.ts';

export const userView: View = {
  columns: [
    { name: 'user', from: 'id', width: 40 },
    { name: 'e-mail', from: 'email', width: 60 },
    { name: 'first name', from: 'firstName', width: 30 },
    { name: 'last name', from: 'lastName', width: 30 },
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'last sign-in', from: 'lastSignInAt', kind: 'time' },
  ],
  empty: 'No user to show',
};

export const controlView: View = {
  columns: [
    { name: 'revision', from: 'revision', kind: 'number' },
    { name: 'updated', from: 'updatedAt', kind: 'time' },
    {
      name: 'by',
      from: ({ user }) => (isJsonObject(user) ? (user['email'] ?? user['name']) : null),
    },
    { name: 'changed', from: 'changed', width: 100 },
  ],
  empty: 'No change to show',
  arrange: withChanges,
};

export const limitView: View = {
  columns: [
    { name: 'e-mail', from: 'email', width: 60 },
    { name: 'asked', from: 'limit', kind: 'number' },
    { name: 'result', from: 'outcome' },
    { name: 'limit now', from: 'returned', kind: 'number' },
    { name: 'error', from: 'error', width: 80 },
  ],
};

/**
 * What each revision changed against the next lower one present, by name alone: what a setting means is not documented,
 * and some hold secrets.
 */
function withChanges(items: readonly JsonObject[]): readonly JsonObject[] {
  const sorted = items.toSorted(
    (left, right) => Number(right['revision']) - Number(left['revision']),
  );
  return sorted.map((item, index) => {
    const before = sorted[index + 1];
    return { ...item, changed: before === undefined ? '(oldest shown)' : changes(before, item) };
  });
}

function changes(before: JsonObject, after: JsonObject): readonly string[] {
  const old = settingsOf(before);
  const now = settingsOf(after);
  const names = new Set([...old.keys(), ...now.keys()]);
  return [...names].flatMap((name) => {
    if (!old.has(name)) return [`${name} set`];
    if (!now.has(name)) return [`${name} removed`];
    return old.get(name) === now.get(name) ? [] : [`${name} changed`];
  });
}

function settingsOf({ settings }: JsonObject): ReadonlyMap<string, string> {
  const entries = isJsonObject(settings) ? Object.entries(settings) : [];
  return new Map(entries.map(([name, value]) => [name, traceOf(value)]));
}

/** Equal for equal values, secrets included; never shown. */
function traceOf(value: unknown): string {
  if (value instanceof Secret) return `secret ${JSON.stringify(value.reveal())}`;
  if (Array.isArray(value)) return `[${value.map(traceOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${traceOf(value[key])}`).join()}}`;
}

import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { diffSettings } from '../../reports/diff-settings.ts';
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

/** Each setting once, however much of it changed. */
function changes({ settings: before }: JsonObject, { settings: after }: JsonObject): string[] {
  const names = new Set(diffSettings(before, after).map(({ path: [name = ''] }) => name));
  return [...names].map((name) => {
    if (!hasSetting(before, name)) return `${name} set`;
    return hasSetting(after, name) ? `${name} changed` : `${name} removed`;
  });
}

function hasSetting(settings: unknown, name: string): boolean {
  return isJsonObject(settings) && (settings[name] ?? null) !== null;
}

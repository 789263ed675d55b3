import { pairRevisions, routes } from '../../vendor/client/index.ts';
import type { JsonObject } from '../../platform/json.ts';
import { isJsonObject } from '../../platform/json.ts';
import { diffSettings } from '../../vendor/reports/diff-settings.ts';
import type { View } from './show.ts';

export const userView: View = {
  columns: [
    { name: 'user', from: 'id' },
    { name: 'e-mail', from: 'email' },
    { name: 'first name', from: 'firstName' },
    { name: 'last name', from: 'lastName' },
    { name: 'created', from: 'createdAt', kind: 'time' },
    { name: 'last sign-in', from: 'lastSignInAt', kind: 'time' },
  ],
  empty: 'No users found',
};

export const controlView: View = {
  columns: [
    { name: 'revision', from: 'revision', kind: 'number' },
    { name: 'updated', from: 'updatedAt', kind: 'time' },
    {
      name: 'by',
      from: ({ user }) => (isJsonObject(user) ? (user['email'] ?? user['name']) : null),
    },
    { name: 'changed', from: 'changed' },
  ],
  empty: 'No changes found',
};

export const limitView: View = {
  columns: [
    { name: 'e-mail', from: 'email' },
    { name: 'asked', from: 'limit', kind: 'number' },
    { name: 'result', from: 'outcome' },
    { name: 'limit now', from: 'returned', kind: 'number' },
    { name: 'error', from: 'error' },
  ],
};

/**
 * The changes with the settings that differ from the next lower revision present, by name only: the meaning of settings is
 * not documented, and some hold secrets.
 */
export async function withChanges(items: readonly JsonObject[]): Promise<readonly JsonObject[]> {
  const { changes: schema } = routes['org.history'].response.shape;
  const known = schema.parse(items).toSorted((left, right) => right.revision - left.revision);
  const pairs: JsonObject[] = [];
  for await (const { change, before } of pairRevisions(walk(known))) {
    pairs.push({
      ...change,
      changed: before === null ? '(first available revision)' : changes(before, change),
    });
  }
  return pairs;
}

async function* walk<Item>(items: readonly Item[]): AsyncGenerator<Item, void, undefined> {
  yield* items;
}

/** Each changed setting, listed once. */
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

import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { Secret } from '../../text/secret.ts';

/**
 * Why a change may loosen controls; null if it does not seem to. The interface does not document the settings, so this is
 * inferred from their names, and errs on the side of marking too many.
 *
 * @param path names from the outside in
 */
function loosening(
  path: readonly string[],
  { before, after }: ChangedValues,
  entries: Entries | null,
): string | null {
  const name = path.at(-1) ?? '';
  if (/retention/i.test(name)) return 'a different retention';
  if (before === true && after !== true) {
    if (name === 'enabled' && path.includes('sandbox')) return 'the sandbox is off';
    if (/^(?:restrict|deny|block|enable\w*shield)/i.test(name)) return 'a restriction is off';
  }
  if (after === true && /allow/i.test(name)) return 'something is newly allowed';
  const isListGone = Array.isArray(before) && after !== null && !Array.isArray(after);
  if (DENIES.test(name)) {
    if (isListGone) return 'a deny list is gone';
    return (entries?.removed.length ?? 0) > 0 ? 'a deny list is shorter' : null;
  }
  if (path.includes(TRUSTED_PLACES) && before === null) return 'an allow list is longer';
  if (ALLOWS.test(name) && isListGone) return 'an allow list is gone';
  if (!ALLOWS.test(name) || entries === null) return null;
  if (after === null) return 'an allow list is gone';
  return entries.added.length > 0 ? 'an allow list is longer' : null;
}

const ALLOWS = /allow/i;
const DENIES = /deny|block/i;
/** A list of objects, whose entries are compared one by one. */
const TRUSTED_PLACES = 'strictKnownMarketplaces';

/** The change of one setting. Unset and null are equivalent. */
export interface SettingChange {
  /** Names from the outside in; list entries are named by id or index. */
  readonly path: readonly string[];
  readonly change: 'set' | 'changed' | 'removed';
  /** Null for a secret, whose values are never shown. */
  readonly values: ChangedValues | null;
  /** Of a list of strings: entries added and removed; null for everything else. */
  readonly entries: Entries | null;
  /** Why it may loosen controls; null if it does not seem to. */
  readonly loosens: string | null;
}

export interface ChangedValues {
  readonly before: unknown;
  readonly after: unknown;
}

export interface Entries {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Real settings are not nested this deep; deeper values are compared as a whole. */
const MAX_DEPTH = 50;

/** The differences of two states of the control settings, path by path; secrets are `Secret`, as the client gives them. */
export function diffSettings(before: unknown, after: unknown): readonly SettingChange[] {
  return diff(before ?? null, after ?? null, []);
}

function diff(before: unknown, after: unknown, path: readonly string[]): readonly SettingChange[] {
  if (traceOf(before) === traceOf(after)) return [];
  const isDeep = path.length >= MAX_DEPTH;
  const old = isDeep ? null : partsOf(before);
  const now = isDeep ? null : partsOf(after);
  if (old === null && now === null) return [changeOf(before, after, path)];
  if ((old === null && !isEmpty(before)) || (now === null && !isEmpty(after))) {
    // Retyped: the old value was removed and a new one added.
    return [...diff(before, null, path), ...diff(null, after, path)];
  }
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const inner = [...names].flatMap((name) =>
    diff(old?.get(name) ?? null, now?.get(name) ?? null, [...path, name]),
  );
  // An empty object differs from an unset one.
  return inner.length > 0 ? inner : [changeOf(before, after, path)];
}

function changeOf(before: unknown, after: unknown, path: readonly string[]): SettingChange {
  const entries = entriesOf(before, after);
  const isSecret = holdsSecret(before) || holdsSecret(after);
  return {
    path,
    change: before === null ? 'set' : after === null ? 'removed' : 'changed',
    values: isSecret ? null : { before, after },
    entries,
    loosens: loosening(path, { before, after }, entries),
  };
}

/** Parts of an object or a list of objects; null for values without comparable parts. */
function partsOf(value: unknown): ReadonlyMap<string, unknown> | null {
  if (value instanceof Secret) return null;
  if (isJsonObject(value)) return new Map(Object.entries(value));
  if (!Array.isArray(value) || value.length === 0 || !value.every(isJsonObject)) return null;
  const items: readonly JsonObject[] = value;
  if (items.some((item) => item instanceof Secret)) return null;
  const names = items.map(nameOf);
  const isNamed = !names.includes(null) && new Set(names).size === names.length;
  return new Map(items.map((item, index) => [(isNamed && names[index]) || `${index}`, item]));
}

function nameOf({ id, model, repo }: JsonObject): string | null {
  const found = [id, model, repo].find((name) => typeof name === 'string' && name !== '');
  return typeof found === 'string' ? found : null;
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function entriesOf(before: unknown, after: unknown): Entries | null {
  const old = textsOf(before);
  const now = textsOf(after);
  if (old === null || now === null) return null;
  return {
    added: now.filter((entry) => !old.includes(entry)),
    removed: old.filter((entry) => !now.includes(entry)),
  };
}

/** A list of strings; empty if unset. */
function textsOf(value: unknown): readonly string[] | null {
  if (value === null) return [];
  if (!Array.isArray(value)) return null;
  const texts = value.filter((entry) => typeof entry === 'string');
  return texts.length === value.length ? texts : null;
}

function holdsSecret(value: unknown): boolean {
  if (value instanceof Secret) return true;
  if (Array.isArray(value)) return value.some(holdsSecret);
  return isJsonObject(value) && Object.values(value).some(holdsSecret);
}

/** Equal for equal values, secrets included; never shown. Null counts as unset. */
function traceOf(value: unknown): string {
  if (value instanceof Secret) return `secret ${JSON.stringify(value.reveal())}`;
  if (Array.isArray(value)) return `[${value.map(traceOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter((key) => (value[key] ?? null) !== null);
  const inner = keys.toSorted().map((key) => `${JSON.stringify(key)}:${traceOf(value[key])}`);
  return `{${inner.join()}}`;
}

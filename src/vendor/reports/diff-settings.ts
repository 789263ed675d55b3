import { Secret } from '../client/index.ts';
import { isJsonObject, type JsonObject } from '../../platform/json.ts';

/**
 * Why a change may let more happen than before: an allow list that grew or is gone, a deny list that shrank, a permission that was
 * given, a restriction or the sandbox that was switched off, another retention. The interface does not say what a setting
 * means, so this goes by its name, and rather marks one too many. Null where nothing speaks for it.
 *
 * @param path names from the outside in
 */
function loosening(
  path: readonly string[],
  { before, after }: { readonly before: unknown; readonly after: unknown },
  entries: { readonly added: readonly unknown[]; readonly removed: readonly unknown[] } | null,
): string | null {
  const name = path.at(-1) ?? '';
  if (/retention/i.test(name)) return 'another retention';
  if (before === true && after !== true) {
    if (name === 'enabled' && path.includes('sandbox')) return 'the sandbox is off';
    if (/^(?:restrict|deny|block|enable\w*shield)/i.test(name)) return 'a restriction is off';
  }
  if (after === true && /allow/i.test(name)) return 'something is allowed that was not';
  if (DENIES.test(name)) {
    return (entries?.removed.length ?? 0) > 0 ? 'a deny list is shorter' : null;
  }
  if (path.includes(TRUSTED_PLACES) && before === null) return 'an allow list is longer';
  if (!ALLOWS.test(name) || entries === null) return null;
  if (after === null) return 'an allow list is gone';
  return entries.added.length > 0 ? 'an allow list is longer' : null;
}

const ALLOWS = /allow/i;
const DENIES = /deny|block/i;
/** A list of objects, so its entries come one by one. */
const TRUSTED_PLACES = 'strictKnownMarketplaces';

/** What became of one setting. What is not set is null, and so is the other way round. */
export interface SettingChange {
  /** Names from the outside in; an entry of a list goes by its id, or by its place. */
  readonly path: readonly string[];
  readonly change: 'set' | 'changed' | 'removed';
  /** Null for a secret: its values are never shown. */
  readonly values: Values | null;
  /** Of a list of texts: what came and what went; null for everything else. */
  readonly entries: Entries | null;
  /** Why it may let more happen than before; null where it does not seem to. */
  readonly loosens: string | null;
}

export interface Values {
  readonly before: unknown;
  readonly after: unknown;
}

export interface Entries {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Nobody nests settings this deep; what lies deeper is compared as a whole. */
const MAX_DEPTH = 50;

/**
 * What differs between two states of the control settings, path by path. Settings are generic JSON: what came, went, was
 * renamed or has another type shows like everything else, and nothing is assumed of it beyond its name.
 *
 * @param before with secrets as `Secret`, as the client gives them
 */
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
    // Of another type: what was there went, and something else came.
    return [...diff(before, null, path), ...diff(null, after, path)];
  }
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  const inner = [...names].flatMap((name) =>
    diff(old?.get(name) ?? null, now?.get(name) ?? null, [...path, name]),
  );
  // An object with nothing in it is something else than none.
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

/** Of an object, or of a list of objects; null for what has no parts that could be compared one by one. */
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

/** What an entry of a list is told apart by. */
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

/** A list of texts; what is not set has none. */
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

/** Equal for equal values, secrets included; never shown. What is null counts as not set. */
function traceOf(value: unknown): string {
  if (value instanceof Secret) return `secret ${JSON.stringify(value.reveal())}`;
  if (Array.isArray(value)) return `[${value.map(traceOf).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const keys = Object.keys(value).filter((key) => (value[key] ?? null) !== null);
  const inner = keys.toSorted().map((key) => `${JSON.stringify(key)}:${traceOf(value[key])}`);
  return `{${inner.join()}}`;
}

import { isJsonObject } from '../json-object.ts';
import type { Random } from '../random.ts';
import type { Drift, Effect } from './effects.ts';

/** Bends the body of a success; the body given stays as it is. */
export function drift(body: unknown, effects: readonly Effect[], random: Random): unknown {
  const bent: unknown = structuredClone(body);
  for (const effect of effects) {
    if (effect.kind === 'field') bendField(bent, effect);
    if (effect.kind === 'bad-item') listOf(bent)?.splice(effect.index ?? 0, 1, 'not an object');
    if (effect.kind === 'shuffle') shuffleList(bent, random);
  }
  return bent;
}

/** The list a response is about: the first array of its body. */
function listOf(body: unknown): unknown[] | undefined {
  return isJsonObject(body) ? Object.values(body).find((value) => Array.isArray(value)) : undefined;
}

function shuffleList(body: unknown, random: Random): void {
  const list = listOf(body);
  list?.splice(0, Infinity, ...random.shuffle(list));
}

function bendField(body: unknown, { fault, at = '' }: Drift & { kind: 'field' }): void {
  const names = at === '' ? [] : at.split('.');
  const last = fault === 'extra' ? 'surpriseField' : (names.pop() ?? '');
  for (const parent of reach(body, names)) {
    if (fault === 'extra') parent[last] = { isNew: true };
    else if (!Object.hasOwn(parent, last)) continue;
    else if (fault === 'missing') delete parent[last];
    else parent[last] = fault === 'null' ? null : retyped(parent[last]);
  }
}

/** All objects at a path of names. */
function reach(value: unknown, names: readonly string[]): Record<string, unknown>[] {
  const [name, ...rest] = names;
  if (name === undefined) return isJsonObject(value) ? [value] : [];
  if (name === '*') return Array.isArray(value) ? value.flatMap((item) => reach(item, rest)) : [];
  return isJsonObject(value) ? reach(value[name], rest) : [];
}

function retyped(value: unknown): unknown {
  if (typeof value === 'string') return 42;
  if (Array.isArray(value)) return { not: 'a list' };
  return typeof value === 'object' ? 'not an object' : JSON.stringify(value);
}

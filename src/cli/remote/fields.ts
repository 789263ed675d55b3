import { readFileSync } from 'node:fs';

import { isNestedTooDeep } from '../../api/index.ts';
import { UsageError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { splitPair } from '../option-values.ts';

/** A field of a request as it was typed. */
export interface TypedField {
  /** "key=value"; "key[sub]=value" and "key[]=value" reach deeper. */
  readonly text: string;
  /** The value is JSON where it reads as such, or a file for "@FILE"; otherwise it is a text. */
  readonly isTyped: boolean;
}

/** Fields of a request body. @throws UsageError when one is not KEY=VALUE, or two contradict each other */
export function readFields(fields: readonly TypedField[]): JsonObject {
  const body: JsonObject = {};
  for (const { text, isTyped } of fields) {
    const [key, value] = splitPair(text);
    put(body, pathOf(key), isTyped ? typedValue(value) : value, text);
  }
  return body;
}

/** JSON where it reads as such, the content of a file for "@FILE", the text itself for anything else. */
export function typedValue(text: string): unknown {
  if (text.startsWith('@')) return readInput(text.slice(1));
  if (isNestedTooDeep(text)) throw new UsageError('A value is nested too deep');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The text of a file, or of standard input for "-". @throws UsageError when it cannot be read */
export function readInput(place: string): string {
  try {
    return readFileSync(place === '-' ? 0 : place, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UsageError(`Cannot read "${place}": ${code}`, { cause: error });
  }
}

/** "a[b][]" as its names; "" stands for the next place of a list. */
function pathOf(key: string): readonly string[] {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  const names = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, name = '']) => name)];
  if (first === '' || names.includes('__proto__')) {
    throw new UsageError(`"${key}" is no key, expected NAME, NAME[SUB] or NAME[]`);
  }
  return names;
}

function put(target: JsonObject, path: readonly string[], value: unknown, text: string): void {
  const [name = '', next, ...rest] = path;
  if (next === undefined) {
    target[name] = value;
  } else if (next === '' && rest.length === 0) {
    const list = Object.hasOwn(target, name) ? target[name] : [];
    if (!Array.isArray(list)) throw contradiction(text);
    target[name] = [...list, value];
  } else {
    const inner = Object.hasOwn(target, name) ? target[name] : {};
    if (!isJsonObject(inner) || next === '') throw contradiction(text);
    target[name] = inner;
    put(inner, [next, ...rest], value, text);
  }
}

function contradiction(text: string): UsageError {
  return new UsageError(`Field "${text}" contradicts an earlier one`);
}

import { readFileSync } from 'node:fs';

import {
  type Column,
  dateOfEpoch,
  isNestedTooDeep,
  numberText,
  valueIn,
} from '../../vendor/client/index.ts';
import { UsageError, whyUnreadable } from '../../platform/errors.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../platform/json.ts';
import { displayLine, displayText } from '../../text/sanitize.ts';
import { splitPair } from '../option-values.ts';

/** The name, with the time zone for times. */
export function titleOf({ name, kind }: Column): string {
  return kind === 'time' || kind === 'epoch' ? `${name} (UTC)` : name;
}

/** A cell for people; "-" if empty. */
export function cellText(item: JsonObject, column: Column): string {
  const value = valueIn(item, column);
  if (value === null || value === undefined || value === '') return '-';
  if (column.kind === 'number' && typeof value === 'number') return numberText(value);
  const at = timeOf(value, column.kind);
  if (at !== null) return at.toISOString().slice(0, 16).replace('T', ' ');
  if (column.kind === 'lines') return displayText(textOf(value, '\n')) || '-';
  const unit = column.kind === 'epoch' ? ' (unit unknown)' : '';
  const text = displayLine(textOf(value, ', '));
  return text === '' ? '-' : text + unit;
}

/** A field for programs and spreadsheets: numbers and times unrounded, texts in full. */
export function plainValue(item: JsonObject, column: Column): string | number {
  const value = valueIn(item, column);
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && column.kind === 'number') return value;
  const at = timeOf(value, column.kind);
  return at === null ? displayText(textOf(value, '; ')) : at.toISOString();
}

function timeOf(value: unknown, kind: Column['kind']): Date | null {
  if (kind !== 'time' && kind !== 'epoch') return null;
  if (typeof value === 'number') {
    return kind === 'epoch' ? dateOfEpoch(value) : validDate(new Date(value));
  }
  return typeof value === 'string' ? validDate(new Date(value)) : null;
}

function validDate(date: Date): Date | null {
  return Number.isNaN(date.getTime()) ? null : date;
}

function textOf(value: unknown, separator: string): string {
  if (Array.isArray(value)) return value.map((entry) => textOf(entry, separator)).join(separator);
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return JSON.stringify(value);
}

/** A field of a request as typed. */
export interface TypedField {
  /** "key=value"; "key[sub]=value" and "key[]=value" reach deeper. */
  readonly text: string;
  /** The value is parsed as JSON or read from "@FILE"; otherwise it is a string. */
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

/** Parsed JSON if valid, the content of a file for "@FILE", otherwise the text itself. */
export function typedValue(text: string): unknown {
  if (text.startsWith('@')) return readInput(text.slice(1));
  if (isNestedTooDeep(text)) throw new UsageError('A value is nested too deep');
  const value = parseJson(text);
  return value === undefined ? text : value;
}

/** The text of a file, or of standard input for "-". @throws UsageError when it cannot be read */
export function readInput(place: string): string {
  try {
    return readFileSync(place === '-' ? 0 : place, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read "${place}": ${whyUnreadable(error)}`, { cause: error });
  }
}

/** "a[b][]" as its names; "" is the next list index. */
function pathOf(key: string): readonly string[] {
  const [, first = '', rest = ''] = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key) ?? [];
  const names = [first, ...[...rest.matchAll(/\[([^[\]]*)\]/g)].map(([, name = '']) => name)];
  if (first === '' || names.includes('__proto__')) {
    throw new UsageError(`Field name is "${key}", expected NAME, NAME[SUB] or NAME[]`);
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

import { dateOfEpoch } from '../../api/index.ts';
import type { JsonObject } from '../../core/json-object.ts';
import { isJsonObject } from '../../core/json-object.ts';
import { displayLine, displayText } from '../../core/sanitize.ts';

/**
 * How a value is read.
 *
 * - `text`: anything that is none of the others; lists are joined
 * - `number`: right-aligned
 * - `time`: Unix ms, or a date and time as text; shown in UTC
 * - `epoch`: a time whose unit the interface does not show
 * - `lines`: a text of which every line counts; for cards
 */
export type ColumnKind = 'text' | 'number' | 'time' | 'epoch' | 'lines';

/** One column of a table, one field of a CSV file, one line of a card. */
export interface Column {
  /** In lower case; the tables' headers are made of it. */
  readonly name: string;
  /** Path of the field such as "sessionSettings.model", or how to work the value out. */
  readonly from: string | ((item: JsonObject) => unknown);
  readonly kind?: ColumnKind;
  /** Its sum over all rows means something. */
  readonly summed?: true;
  /** Left to CSV, where there is room for it. */
  readonly csvOnly?: true;
}

/** The name with the time zone, where there is one to be wrong about. */
export function titleOf({ name, kind }: Column): string {
  return kind === 'time' || kind === 'epoch' ? `${name} (UTC)` : name;
}

export function valueIn(item: JsonObject, { from }: Pick<Column, 'from'>): unknown {
  if (typeof from === 'function') return from(item);
  return from
    .split('.')
    .reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), item);
}

/** A cell for people; "-" for nothing. */
export function cellText(item: JsonObject, column: Column): string {
  const value = valueIn(item, column);
  if (value === null || value === undefined || value === '') return '-';
  if (column.kind === 'number' && typeof value === 'number') return numberText(value);
  const at = timeOf(value, column.kind);
  if (at !== null) return at.toISOString().slice(0, 16).replace('T', ' ');
  if (column.kind === 'lines') return displayText(textOf(value, '\n'));
  const unit = column.kind === 'epoch' ? ' (unit unknown)' : '';
  return displayLine(textOf(value, ', ')) + unit;
}

/** A field for programs and spreadsheets: numbers and times unrounded, texts whole. */
export function plainValue(item: JsonObject, column: Column): string | number {
  const value = valueIn(item, column);
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' && column.kind === 'number') return value;
  const at = timeOf(value, column.kind);
  return at === null ? displayText(textOf(value, '; ')) : at.toISOString();
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 });
}

function timeOf(value: unknown, kind: ColumnKind | undefined): Date | null {
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

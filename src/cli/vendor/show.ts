import { isJsonObject, type JsonObject } from '../../platform/json.ts';
import { displayLine } from '../../text/sanitize.ts';
import {
  type ApiError,
  type BadItem,
  type Column,
  numberText,
  valueIn,
  type View,
} from '../../vendor/client/index.ts';
import type { ExitCode } from '../context.ts';
import type { Output } from '../output.ts';
import { cellText, plainValue, titleOf } from './column.ts';

/** The result of a call, ready to be shown. */
export interface ShownResult {
  readonly items: readonly unknown[];
  /** A single item is shown as a card, a list as a table. */
  readonly isList: boolean;
  /** The output of `--json`. */
  readonly json: unknown;
  readonly badItems?: readonly BadItem[];
  /** Printed on stderr. */
  readonly notes?: readonly string[];
  /** The error that ended paging early: `items` are those before it. */
  readonly failure?: ApiError | null;
  /** More items exist, or some could not be read: sums are subtotals. */
  readonly isPartial?: boolean;
  readonly exitCode?: ExitCode;
}

export type Format = 'people' | 'json' | 'csv';

/** Prints the result of a call; notes and unreadable items go to stderr. */
export function show(output: Output, view: View, shown: ShownResult, format: Format): void {
  const found = [...shown.items, ...readableRows(view, shown)].filter(isJsonObject);
  const items = view.arrange?.(found) ?? found;
  if (format === 'json') output.json(shown.json);
  else if (format === 'csv') printCsv(output, view, items);
  else if (!shown.isList) printCards(output, view, items);
  else if (items.length === 0) output.say(view.empty ?? 'No rows found');
  else printTable(output, view, items, isPartialIn(shown) ? 'subtotal' : 'total');
  for (const note of shown.notes ?? []) output.say(displayLine(note));
  for (const { jsonPath, problem, raw } of shown.badItems ?? []) {
    const isShown = format === 'json' || isReadable(view, raw);
    const where = isShown ? 'printed unchanged' : 'not shown';
    output.complain(
      displayLine(`An item differs from the interface and is ${where}: ${jsonPath}: ${problem}`),
    );
  }
}

/** An item with a field of another type still gets its row: only items without a name are left out. */
function readableRows(view: View, { badItems = [] }: ShownResult): readonly unknown[] {
  return badItems.map(({ raw }) => raw).filter((raw) => isReadable(view, raw));
}

function isReadable({ columns: [first] }: View, raw: unknown): boolean {
  if (first === undefined || !isJsonObject(raw)) return false;
  const name = valueIn(raw, first);
  return (typeof name === 'string' && name !== '') || typeof name === 'number';
}

function printCsv(output: Output, { columns }: View, items: readonly JsonObject[]): void {
  output.csv([
    columns.map(titleOf),
    ...items.map((item) => columns.map((column) => plainValue(item, column))),
  ]);
}

function isPartialIn({ isPartial = false, failure = null, badItems = [] }: ShownResult): boolean {
  return isPartial || failure !== null || badItems.length > 0;
}

function printTable(output: Output, view: View, items: readonly JsonObject[], label: string): void {
  const columns = view.columns.filter(({ csvOnly }) => csvOnly !== true);
  const rows = items.map((item) => columns.map((column) => cellText(item, column)));
  if (items.length > 1 && columns.some(({ summed }) => summed))
    rows.push(totals(columns, items, label));
  const right = new Set(columns.flatMap(({ kind }, index) => (kind === 'number' ? [index] : [])));
  const header = columns.map((column) => titleOf(column).toUpperCase());
  output.table(header, rows, { right });
}

/** Only figures that can be added: a person on two days, or a trailing window, must not count twice. */
function totals(columns: readonly Column[], items: readonly JsonObject[], label: string): string[] {
  return columns.map((column, index) => {
    if (index === 0) return label;
    if (column.summed !== true) return '';
    const values = items.map((item) => valueIn(item, column));
    return numberText(
      values.reduce<number>((sum, value) => sum + (typeof value === 'number' ? value : 0), 0),
    );
  });
}

function printCards(output: Output, { columns }: View, items: readonly JsonObject[]): void {
  const width = Math.max(...columns.map((column) => titleOf(column).length));
  for (const item of items) {
    for (const column of columns) {
      const text = cellText(item, column).replaceAll('\n', `\n${' '.repeat(width + 2)}`);
      if (text !== '-') output.line(`${titleOf(column).padEnd(width)}  ${text}`);
    }
  }
}

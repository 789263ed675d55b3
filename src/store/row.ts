/** One row as the driver gives it; the readers below turn its columns into values of known types. */
export type Row = Readonly<Record<string, unknown>>;

/** A value this version cannot have written. */
export class UnreadableColumnError extends TypeError {
  override readonly name = 'UnreadableColumnError';
}

/**
 * @throws UnreadableColumnError, as all readers here, SQLite finds what is damaged
 */
export function text(row: Row, column: string): string {
  const value = row[column];
  return typeof value === 'string' ? value : unreadable(column, 'text');
}

export function textOrNull(row: Row, column: string): string | null {
  return row[column] === null ? null : text(row, column);
}

export function integer(row: Row, column: string): number {
  const value = row[column];
  return typeof value === 'number' ? value : unreadable(column, 'an integer');
}

export function integerOrNull(row: Row, column: string): number | null {
  return row[column] === null ? null : integer(row, column);
}

export function flag(row: Row, column: string): boolean {
  return integer(row, column) === 1;
}

export function flagOrNull(row: Row, column: string): boolean | null {
  return row[column] === null ? null : flag(row, column);
}

export function bytes(row: Row, column: string): Uint8Array {
  const value = row[column];
  return value instanceof Uint8Array ? value : unreadable(column, 'bytes');
}

export function oneOf<const Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word {
  const value = row[column];
  return words.find((word) => word === value) ?? unreadable(column, `one of ${words.join(', ')}`);
}

export function oneOfOrNull<const Word extends string>(
  row: Row,
  column: string,
  words: readonly Word[],
): Word | null {
  return row[column] === null ? null : oneOf(row, column, words);
}

/** A column that holds JSON of a shape which `isShape` recognises. */
export function json<Shape>(
  row: Row,
  column: string,
  isShape: (value: unknown) => value is Shape,
): Shape {
  const value = parsed(text(row, column));
  return isShape(value) ? value : unreadable(column, 'JSON of its shape');
}

function parsed(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function unreadable(column: string, expected: string): never {
  throw new UnreadableColumnError(`Cannot read column "${column}": expected ${expected}`);
}

/** One record of a CSV file. */
export interface CsvRecord {
  /** Line where it begins, counting from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A record as written, neither trimmed nor corrected. */
export interface WrittenRecord extends CsvRecord {
  /** The fault of its quotes as a clause, such as "a quote is not closed"; null if valid. */
  readonly fault: string | null;
}

/**
 * Reads CSV (RFC 4180), with any line ends and with or without a byte order mark; empty lines are skipped. The apostrophe
 * that hookbell's own files put in front of a formula is removed.
 */
export function readCsv(text: string): readonly CsvRecord[] {
  return parseCsv(text)
    .map(({ line, fields }) => ({ line, fields: fields.map((one) => withoutGuard(one).trim()) }))
    .filter(({ fields }) => fields.some((one) => one !== ''));
}

/** Reads CSV for a caller that must not guess: blanks stay, and faults of quoting are reported. Empty lines are skipped. */
export function parseCsv(text: string): readonly WrittenRecord[] {
  const records: WrittenRecord[] = [];
  // A field with its terminator; a quoted field may hold any text, with "" for a quote.
  const field = /(?:"((?:[^"]|"")*)"([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\n|\r|$)/y;
  const source = text.replace(/^\ufeff/, '');
  let line = 1;
  let start = 1;
  let length = 0;
  let fault: string | null = null;
  let fields: string[] = [];
  while (field.lastIndex < source.length || fields.length > 0) {
    const [whole = '', quoted, after = '', bare = '', end = ''] = field.exec(source) ?? [];
    fields.push((quoted?.replaceAll('""', '"') ?? bare) + after);
    fault ??= quotingFault(bare, after);
    length += whole.length - end.length;
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ',') continue;
    if (length > 0 || fields.length > 1) records.push({ line: start, fields, fault });
    fields = [];
    fault = null;
    length = 0;
    start = line;
  }
  return records;
}

function quotingFault(bare: string, after: string): string | null {
  if (after !== '') return 'there is text after a closing quote';
  if (!bare.includes('"')) return null;
  return bare.startsWith('"') ? 'a quote is not closed' : 'there is a quote inside a cell';
}

function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

/**
 * One line of CSV (RFC 4180, with its line end). A text that a spreadsheet would run as a formula gets an apostrophe
 * in front (https://owasp.org/www-community/attacks/CSV_Injection); numbers stay numbers.
 */
export function csvLine(fields: readonly (string | number)[]): string {
  return `${fields.map(fieldText).join(',')}\r\n`;
}

function fieldText(field: string | number): string {
  if (typeof field === 'number') return String(field);
  const text = /^[=+\-@\t\r]/.test(field) ? `'${field}` : field;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

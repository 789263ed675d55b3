/** One record of a CSV file. */
export interface CsvRecord {
  /** Where it begins, counting from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/**
 * Reads CSV (RFC 4180), with any line ends and with or without a byte order mark; empty lines are left out. An apostrophe
 * in front of what a spreadsheet would run as a formula, as our own files have it, goes.
 */
export function readCsv(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  // A field with what ends it; a quoted one may hold everything, "" being one quote.
  const field = /(?:"((?:[^"]|"")*)"([^,\r\n]*)|([^,\r\n]*))(,|\r\n|\n|\r|$)/y;
  const source = text.replace(/^\ufeff/, '');
  let line = 1;
  let start = 1;
  let fields: string[] = [];
  while (field.lastIndex < source.length || fields.length > 0) {
    const [whole = '', quoted, after = '', bare = '', end = ''] = field.exec(source) ?? [];
    fields.push(withoutGuard((quoted?.replaceAll('""', '"') ?? bare) + after).trim());
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ',') continue;
    if (fields.some((one) => one !== '')) records.push({ line: start, fields });
    fields = [];
    start = line;
  }
  return records;
}

function withoutGuard(text: string): string {
  return /^'[=+\-@\t\r]/.test(text) ? text.slice(1) : text;
}

import { readCsv } from './read-csv.ts';

/** One row of a file of limits. */
export interface LimitRow {
  readonly line: number;
  readonly email: string;
  /** Standard credits; null: "null", which takes a limit away at some services; undefined: the cell is empty. */
  readonly limit: number | null | undefined;
}

export type LimitRows =
  | { readonly ok: true; readonly rows: readonly LimitRow[] }
  /** One sentence each, with its line. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads a file with the columns "email" and "limit", in any order, among others; everything wrong is told at once. */
export function readLimitRows(text: string): LimitRows {
  const [header, ...records] = readCsv(text);
  const names = header?.fields.map((name) => name.toLowerCase()) ?? [];
  const missing = ['email', 'limit'].filter((name) => !names.includes(name));
  if (missing.length > 0) {
    const columns = missing.map((name) => `"${name}"`).join(' and ');
    return { ok: false, problems: [`line 1: has no column ${columns}`] };
  }
  const problems: string[] = [];
  const rows: LimitRow[] = [];
  const seen = new Map<string, number>();
  for (const { line, fields } of records) {
    const email = fields[names.indexOf('email')] ?? '';
    const amount = fields[names.indexOf('limit')] ?? '';
    const limit = limitOf(amount);
    const key = email.toLowerCase();
    const earlier = seen.get(key);
    if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
      problems.push(`line ${line}: "${email}" is no e-mail address`);
    } else if (Number.isNaN(limit)) {
      problems.push(`line ${line}: "${amount}" is no number of credits`);
    } else if (earlier !== undefined) {
      problems.push(`line ${line}: "${email}" has a limit in line ${earlier} already`);
    }
    if (earlier === undefined) seen.set(key, line);
    rows.push({ line, email, limit });
  }
  if (rows.length === 0) problems.push('line 1: nothing is below it');
  return problems.length === 0 ? { ok: true, rows } : { ok: false, problems };
}

/** Digits alone: whether "1,500" means 1500 or 1.5 nobody can tell. */
function limitOf(text: string): number | null | undefined {
  if (text === '') return undefined;
  if (text === 'null') return null;
  return /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
}

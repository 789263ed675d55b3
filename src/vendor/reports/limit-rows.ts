import { parseCsv } from '../../text/csv.ts';
import type { Series } from './series.ts';

/** Margin above the usage. */
const ROOM = 1.25;
const MONTH_DAYS = 31;

/**
 * Standard credits used in the days of the baseline with data, and a limit for a month of 31 days at this pace plus 25 %,
 * rounded up to two digits; null: no usage.
 */
export function suggestLimit(series: Series | undefined): {
  readonly used: number;
  readonly limit: number | null;
} {
  const days = [...(series?.values() ?? [])];
  const used = days.reduce((sum, credits) => sum + credits, 0);
  if (used === 0) return { used, limit: null };
  const wanted = (used / days.length) * MONTH_DAYS * ROOM;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(wanted)) - 1);
  return { used, limit: Math.ceil(wanted / unit) * unit };
}

/** One row of a file of limits. */
export interface LimitRow {
  /** Line in the file, counting from 1. */
  readonly line: number;
  readonly email: string;
  /** Standard credits; null: "null", which removes a limit at some services; undefined: empty cell. */
  readonly limit: number | null | undefined;
}

export type LimitRows =
  | { readonly ok: true; readonly rows: readonly LimitRow[] }
  /** One sentence each, with its line, in the order of the file. */
  | { readonly ok: false; readonly problems: readonly string[] };

/** What a file may omit. */
export interface LimitFileRules {
  /** Whether a row may have only an address, such as for a plan. */
  readonly emptyLimit: 'accepted' | 'refused';
  readonly null: 'accepted' | 'refused';
}

const columns = ['email', 'limit'];
const SEPARATORS = { ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/**
 * Reads a file with the columns "email" and "limit", in any order. The service must receive exactly the limits a person reads
 * in the file, so nothing is corrected: anything ambiguous is a problem, and all problems are found.
 */
export function readLimitRows(text: string, rules: LimitFileRules): LimitRows {
  const [header, ...records] = parseCsv(text);
  const names = header?.fields.map((name) => name.toLowerCase()) ?? [];
  const problems = headerProblems(names, header?.fault ?? null).map((one) => `line 1: ${one}`);
  // Without the columns no row can be read.
  if (problems.length > 0 && !columns.every((name) => names.includes(name))) {
    return { ok: false, problems };
  }
  const rows: LimitRow[] = [];
  const seen = new Map<string, number>();
  for (const { line, fields, fault } of records) {
    const add = (problem: string): number => problems.push(`line ${line}: ${problem}`);
    if (fault !== null) add(fault);
    if (fields.length !== names.length) add(countProblem(fields, names.length));
    if (fault !== null || fields.length !== names.length) continue;
    // Spreadsheets leave such rows after deletions.
    if (fields.every((one) => one === '')) continue;
    const email = fields[names.indexOf('email')] ?? '';
    const amount = fields[names.indexOf('limit')] ?? '';
    const limit = amount === '' ? undefined : readLimitAmount(amount);
    const key = limitKey(email);
    const earlier = seen.get(key);
    if (!isAddress(email)) add(`email is "${email}", expected an email address`);
    if (limit === undefined && rules.emptyLimit === 'refused') add(`"${email}" has no limit`);
    if (limit === null && rules.null === 'refused') {
      add('limit is "null", which removes a limit and needs --allow-null');
    }
    if (Number.isNaN(limit)) add(`limit is "${amount}", expected ${LIMIT_FORM}`);
    if (earlier !== undefined) add(`"${email}" is already in line ${earlier}`);
    seen.set(key, earlier ?? line);
    rows.push({ line, email, limit });
  }
  if (rows.length === 0 && problems.length === 0) problems.push('line 1: no rows follow it');
  return problems.length === 0 ? { ok: true, rows } : { ok: false, problems };
}

export const LIMIT_FORM = 'standard credits in digits alone, such as 2000000';

/**
 * Reads a limit of decimal digits only. Whether "1,500" means 1500 or 1.5 depends on the reader, and a number that JavaScript
 * cannot hold exactly would arrive as another one.
 *
 * @returns standard credits; null for "null"; NaN for anything else
 */
export function readLimitAmount(text: string): number | null {
  if (text === 'null') return null;
  const limit = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(limit) ? limit : Number.NaN;
}

/** Whether a text is an unambiguous e-mail address: without blanks, invisible characters or list separators. */
export function isAddress(text: string): boolean {
  const isOne = /^[^\p{C}\p{Z}@<>,;:"()[\]\\]+@[^\p{C}\p{Z}@<>,;:"'()[\]\\]+$/u.test(text);
  // hookbell's own files put an apostrophe in front of text that a spreadsheet would run.
  return isOne && !text.startsWith("'");
}

/** One key for the spellings of an address. */
export function limitKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}

function headerProblems(names: readonly string[], fault: string | null): readonly string[] {
  const separator = separatorIn(names);
  if (separator !== null) return [`the columns are separated by ${separator}, expected commas`];
  const missing = columns.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !columns.includes(name));
  const doubled = columns.filter((name) => names.filter((one) => one === name).length > 1);
  return [
    ...(fault === null ? [] : [fault]),
    ...(missing.length === 0 ? [] : [`has no column ${quoted(missing)}`]),
    ...(unknown.length === 0
      ? []
      : [`has the column ${quoted(unknown)}, expected ${quoted(columns)} alone`]),
    ...(doubled.length === 0 ? [] : [`has the column ${quoted(doubled)} more than once`]),
  ];
}

function countProblem(fields: readonly string[], wanted: number): string {
  const count = `has ${fields.length} ${fields.length === 1 ? 'cell' : 'cells'}, expected ${wanted}`;
  const separator = separatorIn(fields);
  if (separator !== null) return `${count}: cells are separated by commas, not by ${separator}`;
  return fields.length > wanted ? `${count}: write a limit without commas` : count;
}

/** The separator of a line that was read as one cell; null for anything else. */
function separatorIn([only = '', ...others]: readonly string[]): string | null {
  if (others.length > 0) return null;
  return Object.entries(SEPARATORS).find(([sign]) => only.includes(sign))?.[1] ?? null;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(' and ');
}

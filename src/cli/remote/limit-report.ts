import type { LimitOutcome } from '../../api/index.ts';
import { displayLine } from '../../core/sanitize.ts';
import { readCsv } from '../../reports/read-csv.ts';
import { csvLine } from '../csv.ts';

/** What became of one row; every row ends in exactly one of the three. */
export interface LimitLine {
  readonly email: string;
  /** Standard credits, or "null". */
  readonly asked: string;
  readonly result: 'updated' | 'error' | 'no answer';
  /** What the service set, which may be another limit; empty where it set none. */
  readonly returnedLimit: string;
  /** The service's own words. */
  readonly error: string;
}

const header = ['email', 'asked', 'result', 'returned_limit', 'error'];

export function limitLine(outcome: LimitOutcome): LimitLine {
  const line = { email: outcome.email, asked: String(outcome.limit), returnedLimit: '', error: '' };
  switch (outcome.outcome) {
    case 'updated':
      return { ...line, result: 'updated', returnedLimit: String(outcome.returned) };
    case 'refused':
      return { ...line, result: 'error', error: displayLine(outcome.error) };
    case 'no-answer':
      return { ...line, result: 'no answer' };
  }
}

/** The report as CSV, for people's spreadsheets and for `--only-failed`. */
export function reportText(lines: readonly LimitLine[]): string {
  const rows = lines.map(({ email, asked, result, returnedLimit, error }) => [
    email,
    asked,
    result,
    returnedLimit,
    error,
  ]);
  return [header, ...rows].map((row) => csvLine(row)).join('');
}

/** The rows of a report that were updated, by e-mail in lower case; null when it is no report. */
export function updatedIn(text: string): ReadonlyMap<string, LimitLine> | null {
  const [first, ...records] = readCsv(text);
  if (first?.fields.join() !== header.join()) return null;
  return new Map(
    records.flatMap(({ fields: [email = '', asked = '', result, returnedLimit = ''] }) =>
      result === 'updated'
        ? [[email.toLowerCase(), { email, asked, result, returnedLimit, error: '' }]]
        : [],
    ),
  );
}

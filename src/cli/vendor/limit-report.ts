import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { writeAtomically } from '../../platform/replace-file.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { LimitOutcome } from '../../vendor/client/index.ts';
import { limitKey } from '../../vendor/reports/limit-rows.ts';
import { readCsv } from '../../text/csv.ts';

/** By address of the service, then by `limitKey` of the user: standard credits, or "null". */
const schema = z.record(z.string(), z.record(z.string(), z.string()));

/**
 * The limits that the service returned when they were set from this machine. The interface cannot read limits, so this is the
 * only source of the previous value.
 *
 * @param state the state directory
 * @param service its base address
 */
export function knownLimits(state: string, service: string) {
  const path = join(state, 'limits.json');
  const all = read(path);
  const current = new Map(Object.entries(all[service] ?? {}));
  return {
    /** Null: not set from this machine. */
    of: (email: string) => current.get(limitKey(email)) ?? null,
    /** Stores the returned limits and forgets those that may have changed without an answer. */
    keep: async (lines: readonly LimitLine[]) => {
      for (const { email, result, returnedLimit } of lines) {
        if (result === 'updated') current.set(limitKey(email), returnedLimit);
        else if (result === 'no answer') current.delete(limitKey(email));
      }
      await mkdir(state, { recursive: true, mode: 0o700 });
      await writeAtomically(
        path,
        `${JSON.stringify({ ...all, [service]: Object.fromEntries(current) })}\n`,
      );
    },
  };
}

/** Empty if the file is missing or invalid. */
function read(path: string): z.infer<typeof schema> {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return {};
  }
}

/** The result of one row; every row ends in exactly one of the three. */
export interface LimitLine {
  readonly email: string;
  /** Standard credits, or "null". */
  readonly asked: string;
  readonly result: 'updated' | 'error' | 'no answer';
  /** The limit the service set, which may differ; empty if it set none. */
  readonly returnedLimit: string;
  /** The error of the service, or why the outcome is unknown. */
  readonly error: string;
}

const header = ['email', 'asked', 'result', 'returned_limit', 'error'];
const columns = ['email', 'asked', 'result', 'returnedLimit', 'error'] as const;

const unanswered: Readonly<
  Record<Extract<LimitOutcome, { outcome: 'no-answer' }>['reason'], string>
> = {
  unnamed: 'the response lists it neither as updated nor as an error',
  lost: 'the response was lost: the limit may have taken effect',
  failed: 'the request failed: the limit did not take effect',
  'not-sent': 'not sent, because an earlier request failed',
};

export function limitLine(outcome: LimitOutcome): LimitLine {
  const asked = String(outcome.limit);
  const line = { email: outcome.email, asked, returnedLimit: '', error: '' };
  switch (outcome.outcome) {
    case 'updated': {
      const returnedLimit = String(outcome.returned);
      const error = returnedLimit === asked ? '' : 'the service set another limit';
      return { ...line, result: 'updated', returnedLimit, error };
    }
    case 'refused':
      return { ...line, result: 'error', error: displayLine(outcome.error) };
    case 'no-answer':
      return { ...line, result: 'no answer', error: unanswered[outcome.reason] };
  }
}

/** Whether the limit is now the requested one: the service may set another one. */
export function isAsAsked({ result, asked, returnedLimit }: LimitLine): boolean {
  return result === 'updated' && asked === returnedLimit;
}

/** The rows of the report, including the header. */
export function reportRows(lines: readonly LimitLine[]): readonly (readonly string[])[] {
  return [header, ...lines.map((line) => columns.map((column) => line[column]))];
}

/** The updated rows of a report, by `limitKey` of the address; null if the text is not a report. */
export function updatedIn(text: string): ReadonlyMap<string, LimitLine> | null {
  const [first, ...records] = readCsv(text);
  if (first?.fields.join() !== header.join()) return null;
  return new Map(
    records.flatMap(
      ({ fields: [email = '', asked = '', result, returnedLimit = '', error = ''] }) =>
        result === 'updated'
          ? [[limitKey(email), { email, asked, result, returnedLimit, error }]]
          : [],
    ),
  );
}

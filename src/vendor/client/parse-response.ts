import type { z } from 'zod';
import type { Drift } from './drift.ts';
import { findDrift } from './drift.ts';

/** A list item that does not match the schema, kept verbatim (secrets hidden). */
export interface BadItem {
  /** Position in the list of the response. */
  readonly index: number;
  readonly jsonPath: string;
  readonly problem: string;
  readonly raw: unknown;
}

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value; readonly badItems: readonly BadItem[] }
  | { readonly ok: false; readonly jsonPath: string; readonly problem: string };

/**
 * Parses a response. Invalid items are removed from the named lists, so that one of them does not hide the others; any other
 * mismatch fails the whole response.
 *
 * @param lists top-level list fields of the response
 */
export function parseResponse<Value>(
  schema: z.ZodType<Value>,
  body: unknown,
  lists: readonly string[],
  report: (drift: Drift) => void,
): Parsed<Value> {
  const first = schema.safeParse(body);
  if (first.success) {
    findDrift(schema, first.data, report);
    return { ok: true, value: first.data, badItems: [] };
  }

  const badItems: BadItem[] = [];
  const kept = takeOut(body, lists, first.error.issues, badItems);
  const second = badItems.length === 0 ? first : schema.safeParse(kept);
  if (!second.success) return { ok: false, ...describeIssue(second.error.issues[0]) };

  for (const { jsonPath } of badItems) {
    report({ kind: 'bad-item', jsonPath: jsonPath.replace(/\[\d+\]/, '[]') });
  }
  findDrift(schema, second.data, report);
  return { ok: true, value: second.data, badItems };
}

/** A copy of the body without the items the issues point at; they are added to `badItems`. */
function takeOut(
  body: unknown,
  lists: readonly string[],
  issues: readonly z.core.$ZodIssue[],
  badItems: BadItem[],
): unknown {
  if (typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([key, value]: [string, unknown]) => {
      if (!lists.includes(key) || !Array.isArray(value)) return [key, value];
      const bad = new Map<number, z.core.$ZodIssue>();
      for (const issue of issues) {
        const [list, index] = issue.path;
        if (list === key && typeof index === 'number' && !bad.has(index)) bad.set(index, issue);
      }
      for (const [index, issue] of bad) {
        badItems.push({ index, raw: value[index], ...describeIssue(issue) });
      }
      return [key, value.filter((_, index) => !bad.has(index))];
    }),
  );
}

function describeIssue(issue: z.core.$ZodIssue | undefined): {
  jsonPath: string;
  problem: string;
} {
  if (issue === undefined) return { jsonPath: '$', problem: 'does not fit' };
  // zod's messages name types and never values.
  return { jsonPath: jsonPathOf(issue.path), problem: issue.message };
}

/** Writes a path as `$.sessions[3].status`; names that are not identifiers are quoted. */
export function jsonPathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    const name = String(part);
    return /^\w+$/.test(name) ? `${text}.${name}` : `${text}[${JSON.stringify(name)}]`;
  }, '$');
}

import { z } from 'zod';

import { isJsonObject } from '../../platform/json.ts';

/**
 * Differences of a usable response from the interface.
 *
 * - `unknown-value`: an enum has a value the interface does not list
 * - `extra-field`: a field the interface does not name
 * - `null-for-absent`: null where the interface leaves the field out
 * - `bad-item`: an invalid list item was removed
 * - `out-of-range`, `duplicate`: analytics rows that were dropped
 */
export type DriftKind =
  | 'unknown-value'
  | 'extra-field'
  | 'null-for-absent'
  | 'bad-item'
  | 'out-of-range'
  | 'duplicate';

export interface Drift {
  readonly kind: DriftKind;
  /** With `[]` for any index and `*` for any key, e.g. `$.sessions[].status`. Holds no value. */
  readonly jsonPath: string;
}

export interface DriftCount extends Drift {
  readonly route: string;
  readonly count: number;
}

export type DriftLog = ReturnType<typeof createDriftLog>;

/** The service chooses field names, so a cap bounds the memory. */
const MAX_ENTRIES = 1_000;

/** Counts drift by route and path, and reports each the first time. */
export function createDriftLog(onDrift: (drift: DriftCount) => void) {
  const seen = new Map<string, DriftCount>();
  return {
    note: (route: string, { kind, jsonPath }: Drift): void => {
      const key = `${route} ${kind} ${jsonPath}`;
      const before = seen.get(key);
      if (before === undefined && seen.size >= MAX_ENTRIES) return;
      const entry = { route, kind, jsonPath, count: (before?.count ?? 0) + 1 };
      seen.set(key, entry);
      if (before === undefined) onDrift(entry);
    },
    counts: (): DriftCount[] => [...seen.values()],
  };
}

/** Compares a valid value with the documented schema. */
function findDrift(
  schema: unknown,
  value: unknown,
  report: (drift: Drift) => void,
  jsonPath = '$',
): void {
  if (value === undefined) return;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    if (value === null && schema instanceof z.ZodNullable) {
      report({ kind: 'null-for-absent', jsonPath });
    } else {
      findDrift(schema.unwrap(), value, report, jsonPath);
    }
  } else if (schema instanceof z.ZodUnion) {
    if (schema.meta()?.['incomplete'] !== true) visitUnion(schema.options, value, report, jsonPath);
  } else if (schema instanceof z.ZodArray && Array.isArray(value)) {
    for (const item of value) findDrift(schema.element, item, report, `${jsonPath}[]`);
  } else if (schema instanceof z.ZodRecord && isJsonObject(value)) {
    for (const item of Object.values(value)) {
      findDrift(schema.valueType, item, report, `${jsonPath}.*`);
    }
  } else if (schema instanceof z.ZodObject && isJsonObject(value)) {
    visitObject(schema, value, report, jsonPath);
  }
}

function visitObject(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
  report: (drift: Drift) => void,
  jsonPath: string,
): void {
  for (const [key, item] of Object.entries(value)) {
    const part = Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
    if (part !== undefined) findDrift(part, item, report, `${jsonPath}.${key}`);
    // A typed catch-all means that other keys are expected.
    else if (schema.def.catchall instanceof z.ZodUnknown) {
      report({ kind: 'extra-field', jsonPath: `${jsonPath}.${key}` });
    }
  }
}

function visitUnion(
  options: readonly unknown[],
  value: unknown,
  report: (drift: Drift) => void,
  jsonPath: string,
): void {
  for (const option of options) {
    if (option instanceof z.ZodUnion) visitUnion(option.options, value, report, jsonPath);
    const isUnlisted = option instanceof z.ZodEnum && typeof value === 'string';
    if (isUnlisted && !option.safeParse(value).success) {
      report({ kind: 'unknown-value', jsonPath });
    }
  }
}

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
 * Parses a response. Invalid items are removed from the `lists`, so that one of them does not hide the others; any other
 * mismatch fails the whole response.
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
  const rest = takeOut(body, lists, first.error.issues, badItems);
  const second = badItems.length === 0 ? first : schema.safeParse(rest);
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

function describeIssue(issue: z.core.$ZodIssue | undefined): Pick<BadItem, 'jsonPath' | 'problem'> {
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

import { z } from 'zod';

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

export interface DriftLog {
  readonly note: (route: string, drift: Drift) => void;
  readonly counts: () => DriftCount[];
}

/** The service chooses field names, so a cap bounds the memory. */
const MAX_ENTRIES = 1_000;

/** Counts drift by route and path, and reports each the first time. */
export function createDriftLog(onDrift: (drift: DriftCount) => void): DriftLog {
  const seen = new Map<string, DriftCount>();
  return {
    note: (route, { kind, jsonPath }) => {
      const key = `${route} ${kind} ${jsonPath}`;
      const before = seen.get(key);
      if (before === undefined && seen.size >= MAX_ENTRIES) return;
      const entry = { route, kind, jsonPath, count: (before?.count ?? 0) + 1 };
      seen.set(key, entry);
      if (before === undefined) onDrift(entry);
    },
    counts: () => [...seen.values()],
  };
}

/** Compares a valid value with the documented schema. */
export function findDrift(
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
  } else if (schema instanceof z.ZodRecord && isObject(value)) {
    for (const item of Object.values(value)) {
      findDrift(schema.valueType, item, report, `${jsonPath}.*`);
    }
  } else if (schema instanceof z.ZodObject && isObject(value)) {
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

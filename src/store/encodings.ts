import type { Facts } from '../core/facts.ts';
import { isJsonObject } from '../core/json-object.ts';
import type { Row } from './row.ts';
import { json } from './row.ts';

/** SQLite has no booleans. */
export function writeFlag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

/** Events and sessions keep what the hook recorded in a column of this name. */
export function readFacts(row: Row): Facts {
  return json(row, 'facts', isFacts);
}

function isFacts(value: unknown): value is Facts {
  return isJsonObject(value) && Object.values(value).every((fact) => typeof fact === 'string');
}

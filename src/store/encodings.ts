import type { Asked } from '../core/asked.ts';
import { askedSchema } from '../core/asked.ts';
import type { FileChange } from '../core/file-change.ts';
import { fileChangeSchema } from '../core/file-change.ts';
import type { HookFacts } from '../core/facts.ts';
import { isJsonObject } from '../core/json-object.ts';
import type { StepCondition } from '../core/policy.ts';
import type { Row } from './row.ts';
import { json } from './row.ts';

/** SQLite has no booleans. */
export function writeFlag(value: boolean | null): number | null {
  return value === null ? null : Number(value);
}

export function writeCondition(condition: StepCondition | null): string | null {
  return condition === null ? null : JSON.stringify(condition);
}

/** The condition of a step stands in the deliveries' column of this name. */
export function readCondition(row: Row): StepCondition | null {
  return row['condition'] === null ? null : json(row, 'condition', isCondition);
}

/** The members are those of the configuration, which has checked them. */
function isCondition(value: unknown): value is StepCondition {
  return isJsonObject(value);
}

/** Events keep what a person is to decide in a column of this name. */
export function readAsked(row: Row): Asked | null {
  return row['asked'] === null ? null : json(row, 'asked', isAsked);
}

function isAsked(value: unknown): value is Asked {
  return askedSchema.safeParse(value).success;
}

/** Sessions keep what changed in their turn in a column of this name. */
export function readChanges(row: Row): readonly FileChange[] {
  return row['changes'] === null ? [] : json(row, 'changes', isChanges);
}

function isChanges(value: unknown): value is readonly FileChange[] {
  return Array.isArray(value) && value.every((one) => fileChangeSchema.safeParse(one).success);
}

/** Events and sessions keep what the hook recorded in a column of this name. */
export function readFacts(row: Row): HookFacts {
  return json(row, 'facts', isFacts);
}

function isFacts(value: unknown): value is HookFacts {
  return isJsonObject(value) && Object.values(value).every((fact) => typeof fact === 'string');
}

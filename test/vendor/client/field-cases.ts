import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { z } from 'zod';
import { Secret } from '../../../src/text/secret.ts';

/** What a statement says about a shape: the fields by example, and which of them must be there. */
export interface FieldCase {
  readonly id: string;
  readonly what: string;
  readonly schema: z.ZodType;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  /** What else the shape needs to be whole. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

/** Statements, schema, what else the shape needs, the field, its known values. */
export type EnumCase = readonly [string, z.ZodType, object, string, readonly string[]];

export const date = '2026-03-01';
export const counts = (...names: string[]): Record<string, number> =>
  Object.fromEntries(names.map((name, index) => [name, index + 0.5]));
export const texts = (...names: string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `some ${name}`]));
export const flags = (...names: string[]): Record<string, boolean> =>
  Object.fromEntries(names.map((name, index) => [name, index % 2 === 0]));
export const lists = (...names: string[]): Record<string, string[]> =>
  Object.fromEntries(names.map((name) => [name, ['a', 'b']]));
export const secret = new Secret('x');

/** Each field may be absent or null unless it is required, and a wrong type never passes. */
export function testFields({
  id,
  what,
  schema,
  fields,
  required = [],
  rest = {},
}: FieldCase): void {
  test(`acceptance ${id}, A04, 225, 226: ${what}`, () => {
    const whole = { ...rest, ...fields };

    assert.deepEqual(schema.parse(whole), whole);
    for (const name of Object.keys(fields)) {
      const { [name]: _, ...without } = { ...whole };
      const isRequired = required.includes(name);
      assert.equal(passes(schema, without), !isRequired, `${name} absent`);
      assert.equal(passes(schema, { ...whole, [name]: null }), !isRequired, `${name} null`);
      assert.equal(passes(schema, { ...whole, [name]: Symbol('wrong') }), false, `${name} wrong`);
      for (const [inner, kind] of wrongInside(fields[name])) {
        assert.equal(passes(schema, { ...whole, [name]: inner }), false, `${name} with ${kind}`);
      }
    }
  });
}

/** The enum takes its known values and any other text. */
export function testEnum([id, schema, rest, field, values]: EnumCase): void {
  test(`acceptance ${id}, 224: ${field} takes its known values and any other text`, () => {
    for (const value of [...values, 'brand-new', '']) {
      assert.ok(passes(schema, { ...rest, [field]: value }), value);
    }
    assert.equal(passes(schema, { ...rest, [field]: 5 }), false);
  });
}

export function passes(schema: z.ZodType, value: unknown): boolean {
  return schema.safeParse(value).success;
}

/** The value with one documented inner field of a wrong type, one at a time. Open inner shapes have none. */
function wrongInside(value: unknown): [unknown, string][] {
  if (Array.isArray(value)) {
    const [first] = value;
    return wrongInside(first).map(([inner, kind]) => [[inner], kind]);
  }
  if (typeof value !== 'object' || value === null || value instanceof Secret) return [];
  return Object.entries(value).flatMap(([key, inner]): [unknown, string][] =>
    OPEN.has(key) || inner instanceof Secret ? [] : [[{ ...value, [key]: Symbol('wrong') }, key]],
  );
}

/** Names that stand for "anything" in the cases above. */
const OPEN = new Set(['any', 'a', 'anything', 's2', 's3', 'tool']);

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { z } from 'zod';

import { findingsOf, formatProblem, knownKeys, parseOptions } from '../../src/config/problem.ts';

/** What is wrong with a value: the place, unless it is the value itself, and the end of the sentence. */
function findingsIn(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value, parseOptions);
  return findingsOf(error?.issues ?? []).map(({ path, at, message }) =>
    path.length === 0 ? message : `${at} ${path.join('.')}: ${message}`,
  );
}

const named = z.union([z.strictObject({ env: z.string() }), z.strictObject({ file: z.string() })]);

describe('describeIssue() completes a sentence that begins with the path', () => {
  for (const { schema, value, message } of [
    {
      schema: z.string(),
      value: true,
      message: 'is true, expected text (put it in quotes)',
    },
    { schema: z.string(), value: [], message: 'is a list, expected text' },
    { schema: z.number(), value: 'ten', message: 'is text, expected a number' },
    { schema: z.number(), value: Number.NaN, message: 'is NaN, expected a number' },
    { schema: z.number(), value: -Infinity, message: 'is -Infinity, expected a number' },
    { schema: z.int(), value: 1.5, message: 'is a number, expected a whole number' },
    { schema: z.boolean(), value: undefined, message: 'is missing, expected true or false' },
    { schema: z.array(z.string()), value: null, message: 'is empty, expected a list' },
    { schema: z.date(), value: {}, message: 'is a mapping, expected date' },
    { schema: z.string().min(1), value: '', message: 'is empty' },
    { schema: z.string().min(8), value: 'x', message: 'is shorter than 8 characters' },
    { schema: z.string().max(2), value: 'xyz', message: 'is longer than 2 characters' },
    { schema: z.array(z.int()).min(1), value: [], message: 'is an empty list' },
    { schema: z.array(z.int()).min(2), value: [1], message: 'has fewer than 2 entries' },
    { schema: z.array(z.int()).max(2), value: [1, 2, 3], message: 'has more than 2 entries' },
    { schema: z.number().min(1), value: 0, message: 'is below 1' },
    { schema: z.number().positive(), value: 0, message: 'is not above 0' },
    { schema: z.number().max(9), value: 10, message: 'is above 9' },
    { schema: z.url(), value: 'x', message: 'is not a valid URL' },
    { schema: z.email(), value: 'x', message: 'is not a valid email address' },
    { schema: z.string().regex(/^a/), value: 'x', message: 'is not a valid text' },
    { schema: z.uuid(), value: 'x', message: 'is not a valid uuid' },
    { schema: z.enum(['on', 'off']), value: 'onn', message: 'is unknown, did you mean "on"?' },
    { schema: z.enum(['on', 'off']), value: 1, message: 'is not one of "on", "off"' },
    { schema: z.literal('on'), value: 'nonsense', message: 'is not "on"' },
    { schema: z.string().refine((text) => text === 'a'), value: 'b', message: 'is not valid' },
    {
      schema: z.union([z.string(), z.array(z.string())]),
      value: 5,
      message: 'is a number, expected text or a list (put it in quotes)',
    },
    { schema: named, value: { env: 'A', file: 'B' }, message: 'is not valid' },
    {
      schema: named.describe('{ env } or { file }'),
      value: { env: 'A', file: 'B' },
      message: 'is not valid, expected: { env } or { file }',
    },
  ] satisfies { schema: z.ZodType; value: unknown; message: string }[]) {
    test(message, () => {
      assert.deepEqual(findingsIn(schema, value), [message]);
    });
  }
});

describe('findingsOf()', () => {
  test('has one finding for each unknown key, at the key', () => {
    const schema = z.strictObject({ notify: z.string().optional(), plan: z.string().optional() });

    assert.deepEqual(findingsIn(schema, { notfy: 'x', pln: 'y', else: 'z' }), [
      'key notfy: is unknown here, did you mean "notify"?',
      'key pln: is unknown here, did you mean "plan"?',
      'key else: is unknown here',
    ]);
  });

  test('has the finding of a key that is none at the key', () => {
    const schema = z.record(z.string().regex(/^[a-z]+$/, { error: 'is not a name' }), z.int());

    assert.deepEqual(findingsIn(schema, { '1': 5 }), ['key 1: is not a name']);
  });

  test('has the findings of the form that was meant, by a typo or by what is missing', () => {
    assert.deepEqual(findingsIn(named, { fil: 'B' }), [
      'value file: is missing, expected text',
      'key fil: is unknown here, did you mean "file"?',
    ]);
    assert.deepEqual(findingsIn(z.union([z.int(), named]), { file: 5 }), [
      'value file: is a number, expected text (put it in quotes)',
    ]);
  });
});

test('knownKeys() lists the keys of a mapping whose keys are fixed, and none of any other', () => {
  assert.deepEqual(knownKeys(z.strictObject({ env: z.string() })), ['env']);
  assert.deepEqual(knownKeys(z.partialRecord(z.enum(['a', 'b']), z.string())), ['a', 'b']);
  assert.deepEqual(knownKeys(z.record(z.string(), z.string())), []);
  assert.deepEqual(knownKeys(z.string()), []);
  assert.deepEqual(knownKeys(undefined), []);
});

test('formatProblem() names as much of the place as is known', () => {
  const problem = { file: 'c.yaml', line: null, column: null, path: '', message: 'is not a file' };

  assert.equal(formatProblem(problem), 'c.yaml: is not a file');
  assert.equal(formatProblem({ ...problem, path: 'routes' }), 'c.yaml routes: is not a file');
  assert.equal(formatProblem({ ...problem, line: 3 }), 'c.yaml:3:1: is not a file');
  assert.equal(
    formatProblem({ ...problem, line: 3, column: 7, path: 'routes' }),
    'c.yaml:3:7 routes: is not a file',
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';

import type { Column, Route } from '../../../src/vendor/client/index.ts';
import { routes } from '../../../src/vendor/client/index.ts';
import { cellText, plainValue, titleOf } from '../../../src/cli/vendor/column.ts';

describe('A column', () => {
  for (const { name, column, value, cell, plain } of [
    {
      name: 'a number',
      column: { kind: 'number' },
      value: 12_345.678,
      cell: '12,345.68',
      plain: 12_345.678,
    },
    { name: 'no number', column: { kind: 'number' }, value: null, cell: '-', plain: '' },
    {
      name: 'a time',
      column: { kind: 'time' },
      value: 1_784_116_800_000,
      cell: '2026-07-15 12:00',
      plain: '2026-07-15T12:00:00.000Z',
    },
    {
      name: 'a time as text',
      column: { kind: 'time' },
      value: '2026-07-15T14:00:00+02:00',
      cell: '2026-07-15 12:00',
      plain: '2026-07-15T12:00:00.000Z',
    },
    {
      name: 'an unreadable time',
      column: { kind: 'time' },
      value: 'soon',
      cell: 'soon',
      plain: 'soon',
    },
    {
      name: 'seconds of unknown unit',
      column: { kind: 'epoch' },
      value: 1_784_116_800,
      cell: '2026-07-15 12:00',
      plain: '2026-07-15T12:00:00.000Z',
    },
    {
      name: 'a number that is not a time',
      column: { kind: 'epoch' },
      value: 1e17,
      cell: '100000000000000000 (unit unknown)',
      plain: '100000000000000000',
    },
    { name: 'a flag', column: {}, value: false, cell: 'no', plain: 'no' },
    { name: 'a list', column: {}, value: ['a', 'b'], cell: 'a, b', plain: 'a; b' },
    { name: 'an empty text', column: {}, value: '', cell: '-', plain: '' },
    { name: 'an empty list', column: {}, value: [], cell: '-', plain: '' },
    { name: 'a list without lines', column: { kind: 'lines' }, value: [], cell: '-', plain: '' },
    { name: 'a text of controls', column: {}, value: '\u0007', cell: '-', plain: '' },
    {
      name: 'a long text, whole: only the width of a terminal cuts it,',
      column: {},
      value: 'abcdefghij'.repeat(20),
      cell: 'abcdefghij'.repeat(20),
      plain: 'abcdefghij'.repeat(20),
    },
    {
      name: 'an escape sequence',
      column: {},
      value: 'a\u001b[31mb\u202ec\nd',
      cell: 'abc d',
      plain: 'abc\nd',
    },
  ] satisfies {
    name: string;
    column: Partial<Column>;
    value: unknown;
    cell: string;
    plain: unknown;
  }[]) {
    test(`shows ${name} as ${JSON.stringify(cell)} (acceptance 062)`, () => {
      const whole: Column = { name: 'x', from: 'a.b', ...column };

      assert.equal(cellText({ a: { b: value } }, whole), cell);
      assert.equal(plainValue({ a: { b: value } }, whole), plain);
    });
  }

  test('names the time zone of times', () => {
    assert.equal(titleOf({ name: 'created', from: 'x', kind: 'time' }), 'created (UTC)');
  });
});

/** What a path leads to in a schema; undefined where it leads nowhere. */
function schemaAt(schema: unknown, path: readonly string[]): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return schemaAt(schema.unwrap(), path);
  }
  const [name, ...rest] = path;
  if (name === undefined) return schema;
  return schema instanceof z.ZodObject ? schemaAt(schema.shape[name], rest) : undefined;
}

/** Worked out from more than one row. */
const DERIVED = 'changed';

describe('Every column', () => {
  for (const route of Object.values<Route & { id: keyof typeof routes }>(routes)) {
    // Its rows are what the client makes of two lists.
    if (route.id === 'org.setLimits') continue;
    test(`of ${route.id} names a field the interface has`, () => {
      for (const { response, view } of [
        route,
        ...(route.grouped === null ? [] : [route.grouped]),
      ]) {
        const list = route.lists[0] === undefined ? response : response.shape[route.lists[0]];
        const item: unknown = list instanceof z.ZodArray ? list.element : list;
        for (const { from } of view.columns) {
          if (typeof from !== 'string' || from === DERIVED) continue;
          assert.notEqual(schemaAt(item, from.split('.')), undefined, from);
        }
      }
    });
  }
});

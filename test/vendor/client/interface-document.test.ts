import assert from 'node:assert/strict';
import { test } from 'node:test';

import { z } from 'zod';

import { routes } from '../../../src/vendor/client/index.ts';
import {
  ActivityRow,
  AnalyticsMeta,
  GroupedActivityRow,
  GroupedTokenRow,
  GroupedToolRow,
  ProductivityRow,
  TokenRow,
  ToolRow,
  UserRow,
} from '../../../src/vendor/client/analytics/rows.ts';
import { Computer } from '../../../src/vendor/client/computers.ts';
import {
  ControlChange,
  ControlSettings,
  CustomModel,
} from '../../../src/vendor/client/controls.ts';
import { OrganizationUser } from '../../../src/vendor/client/organization.ts';
import { Criterion, ReadinessReport } from '../../../src/vendor/client/readiness.ts';
import { Pagination } from '../../../src/vendor/client/schema-parts.ts';
import { Message } from '../../../src/vendor/client/messages.ts';
import { ApiSession, SessionSettings, TokenUsage } from '../../../src/vendor/client/sessions.ts';
import {
  fieldsInBraces,
  fieldsInWords,
  lineIn,
  namesIn,
  readInterface,
  rowsIn,
  type WrittenField,
} from './interface-document.ts';

/*
 * The document is the judge: each field and literal of its tables has to be in the schemas, with its type and
 * whether it is required, and the schemas may name no field that is not in the document.
 */

const parts = readInterface();

function part(heading: string): string {
  const text = parts.get(heading) ?? [...parts].find(([name]) => name.startsWith(heading))?.[1];
  assert.ok(text !== undefined, `no part "${heading}"`);
  return text;
}

/** Required though the document does not say so: what places an item (A04). */
const PLACING = new Set(['date', 'group_key', 'user_id', 'reportId', 'revision']);

function inner(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return inner(schema.unwrap());
  }
  return schema;
}

/** The kind of value a schema takes, in the document's words. */
function kindOf(schema: unknown): string {
  const type = inner(schema);
  if (type instanceof z.ZodNumber) return type.isInt ? 'integer' : 'number';
  if (type instanceof z.ZodBoolean) return 'boolean';
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord) return 'object';
  if (type instanceof z.ZodArray) {
    const item = kindOf(type.element);
    return item === 'string' ? 'string[]' : 'array';
  }
  if (type instanceof z.ZodUnion) {
    const hasNull = type.options.some((option) => option instanceof z.ZodNull);
    return hasNull ? 'string or null' : 'string';
  }
  // A custom schema is a Secret, a string on the wire.
  assert.ok(type instanceof z.ZodString || type instanceof z.ZodCustom);
  return 'string';
}

/** What the document's word for a type means in a schema. */
function kindWritten(type: string): string {
  const word = type.replace(/\?$/, '').replace(/ \((?!.*null).*\)$/, '');
  if (/^string(, date-time)?$/.test(word) || word === 'string (UUID)') return 'string';
  if (/^(array of|object\[\])/.test(word)) return 'array';
  if (/^(object|token usage object|`\{)/.test(word)) return 'object';
  return word;
}

function itemOf(schema: unknown): z.ZodObject {
  const type = inner(schema);
  const item =
    type instanceof z.ZodArray
      ? inner(type.element)
      : type instanceof z.ZodRecord
        ? inner(type.valueType)
        : type;
  assert.ok(item instanceof z.ZodObject);
  return item;
}

function checkField(shape: z.ZodObject, field: WrittenField, where: string): void {
  const schema: unknown = shape.shape[field.name];
  assert.ok(schema !== undefined, `${where}: ${field.name} is missing`);
  assert.equal(kindOf(schema), kindWritten(field.type), `${where}: type of ${field.name}`);
  for (const below of field.inner) checkField(itemOf(schema), below, `${where}.${field.name}`);
}

/** Where the document speaks of "string" and another part of it of "string or null", the schema takes both. */
const LOOSER = new Set(['by_user.user_email']);

interface Table {
  readonly heading: string;
  readonly schema: z.ZodObject;
  /** Takes this off the front of the names. */
  readonly prefix?: string;
}

const tables: readonly Table[] = [
  { heading: 'Analytics envelope', schema: AnalyticsMeta, prefix: 'meta.' },
  { heading: 'Token row', schema: TokenRow },
  { heading: 'Tool row', schema: ToolRow },
  { heading: 'Activity row', schema: ActivityRow },
  { heading: 'Productivity row', schema: ProductivityRow },
  { heading: 'User row', schema: UserRow },
  { heading: 'Readiness report', schema: ReadinessReport },
  { heading: 'Message', schema: Message },
  { heading: 'Computer', schema: Computer },
];

for (const { heading, schema, prefix = '' } of tables) {
  test(`schemas hold each field of "${heading}" with its type, need and literals, and no other`, () => {
    const named = new Set<string>();
    for (const [names = '', type = '', meaning = ''] of rowsIn(part(heading))) {
      if (prefix !== '' && !names.startsWith(prefix)) continue;
      for (const name of names.split(', ').map((each) => each.slice(prefix.length))) {
        named.add(name);
        checkRow(schema, name, type, meaning, heading);
      }
    }
    assert.deepEqual([...named].toSorted(), Object.keys(schema.shape).toSorted());
  });
}

function checkRow(
  shape: z.ZodObject,
  name: string,
  type: string,
  meaning: string,
  where: string,
): void {
  const schema: unknown = shape.shape[name];
  assert.ok(schema instanceof z.ZodType, `${where}: ${name} is missing`);
  assert.equal(kindOf(schema), kindWritten(type), `${where}: type of ${name}`);
  const isRequired = meaning.startsWith('Required') || PLACING.has(name);
  assert.equal(!schema.safeParse(undefined).success, isRequired, `${where}: need of ${name}`);
  const items = meaning.includes('{') ? fieldsInBraces(meaning) : fieldsInWords(meaning);
  if (/^(Items|Map|`\{)/.test(meaning) && items.length > 0) {
    for (const item of items) {
      if (!LOOSER.has(`${name}.${item.name}`)) checkField(itemOf(schema), item, `${where}.${name}`);
      assert.ok(item.name in itemOf(schema).shape, `${where}.${name}.${item.name}`);
    }
  } else if (kindOf(schema).startsWith('string')) {
    for (const literal of namesIn(meaning)) {
      // These name parameters and paths.
      if (/^(group_by|cursor|\/)/.test(literal)) continue;
      assert.ok(enumOf(schema).includes(literal), `${where}: ${name} lacks "${literal}"`);
    }
  }
}

/** The values an open enum lists. */
function enumOf(schema: unknown): unknown[] {
  const type = inner(schema);
  if (!(type instanceof z.ZodUnion)) return [];
  return type.options.flatMap((option) =>
    option instanceof z.ZodEnum ? option.options : enumOf(option),
  );
}

test('schemas hold each field of "Session" and its settings', () => {
  const rows = rowsIn(part('Session'));
  const split = rows.findIndex(([name]) => name === 'sessionSettings') + 1;
  const settings = rows.slice(split);
  for (const [name = '', type = '', meaning = ''] of rows.slice(0, split)) {
    if (name !== 'status') checkRow(ApiSession, name, type, meaning, 'Session');
  }
  const known = namesIn(rows.find(([name]) => name === 'status')?.[2] ?? '');
  assert.deepEqual(enumOf(ApiSession.shape.status), known);
  assert.ok(!ApiSession.shape.status.safeParse(undefined).success);
  assert.deepEqual(
    rows
      .slice(0, split)
      .map(([name = '']) => name)
      .toSorted(),
    Object.keys(ApiSession.shape).toSorted(),
  );

  for (const [name = '', type = ''] of settings) {
    const fields = type.includes('{') ? fieldsInBraces(type) : [];
    checkField(SessionSettings, { name, type, inner: fields }, 'sessionSettings');
  }
  assert.deepEqual(
    settings.map(([name = '']) => name).toSorted(),
    Object.keys(SessionSettings.shape).toSorted(),
  );
});

test('schemas hold each field of "Enterprise control change", its settings and custom models', () => {
  const text = part('Enterprise control change');
  const rows = rowsIn(text);
  const split = rows.findIndex(([name]) => name === 'updatedAt') + 1;
  for (const [name = '', type = ''] of rows.slice(0, split)) {
    const fields = type.includes('{') ? fieldsInBraces(type.replace(/\).*/, '')) : [];
    checkField(ControlChange, { name, type, inner: fields }, 'change');
  }
  const named = rows.slice(split).flatMap(([names = '', type = '']) =>
    names.split(', ').map((name) => {
      const fields = type.includes('{') ? fieldsInBraces(type) : [];
      checkField(ControlSettings, { name, type, inner: fields }, 'settings');
      return name;
    }),
  );
  assert.deepEqual(named.toSorted(), Object.keys(ControlSettings.shape).toSorted());

  const [plain = '', hosted = ''] = lineIn(text, 'Custom model entry: ').split('with strings');
  for (const field of fieldsInWords(plain)) checkField(CustomModel, field, 'customModel');
  assert.deepEqual(
    fieldsInWords(plain)
      .map(({ name }) => name)
      .toSorted(),
    Object.keys(CustomModel.shape).toSorted(),
  );
  assert.deepEqual(namesIn(hosted), Object.keys(itemOf(CustomModel.shape.hostedCloud).shape));
});

for (const [heading, beginning, schema] of [
  ['Token row', 'Grouped row (`group_by=model`): ', GroupedTokenRow],
  ['Tool row', 'Grouped row (`group_by=tool_name`): ', GroupedToolRow],
  ['Activity row', 'Grouped row (`group_by=client`): ', GroupedActivityRow],
  ['Session', 'Token usage object: ', TokenUsage],
  ['Readiness report', 'Criterion evaluation: ', Criterion],
  ['Organization user', '`id`', OrganizationUser],
] as const) {
  test(`schemas hold each field after "${beginning}" and no other`, () => {
    const line = lineIn(part(heading), beginning);
    const text = beginning.startsWith('`') ? `${beginning}${line}` : line;
    const fields = fieldsInWords(text);

    for (const field of fields) checkField(schema, field, beginning);
    const names = namesIn(text.replace(/ The set of .*/, ''));
    assert.deepEqual([...new Set(names)].toSorted(), Object.keys(schema.shape).toSorted());
  });
}

test('schemas hold the pagination object and the credit limit entry', () => {
  for (const field of fieldsInBraces(part('Pagination object'))) {
    checkField(Pagination, field, 'pagination');
  }
  const entry = itemOf(routes['org.setLimits'].response.shape.updated);
  for (const { name, type } of fieldsInBraces(part('User credit limit entry'))) {
    checkField(entry, { name, type, inner: [] }, 'limit');
  }
});

test('acceptance 066: the client types of the document are the known ones', () => {
  const known = namesIn(lineIn(part('Activity row'), 'Client types: ')).slice(0, 3);

  assert.deepEqual(enumOf(GroupedActivityRow.shape.group_key), known);
});

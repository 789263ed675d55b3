import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createRedactor } from '../../../src/text/redact.ts';
import { ControlChange, readControlSettings } from '../../../src/vendor/client/controls.ts';
import { cellText } from '../../../src/cli/vendor/column.ts';
import { routes } from '../../../src/vendor/client/index.ts';
import {
  compareControls,
  revisionOf,
  changeText,
  controlTexts,
  timeText,
} from '../../../src/vendor/reports/compare-controls.ts';
import { diffSettings } from '../../../src/vendor/reports/diff-settings.ts';

const redactor = createRedactor({ prefixes: [], keys: [] });
const revision = (number: number, settings: unknown, fields: object = {}): ControlChange =>
  ControlChange.parse({ revision: number, settings, ...fields });
const compare = (before: unknown, after: unknown, fields: object = {}) =>
  compareControls(revision(3, before), revision(4, after, fields), redactor);

for (const { name, fields, by } of [
  { name: 'no one', fields: {}, by: 'Someone' },
  { name: 'a user by id', fields: { user: { id: 'u1' } }, by: 'u1' },
  { name: 'a user by address', fields: { user: { id: 'u1', email: 'a@x.test' } }, by: 'a@x.test' },
  {
    name: 'a user by name and address',
    fields: { user: { email: 'a@x.test', name: 'Ada' }, updatedAt: 'lately' },
    by: 'Ada (a@x.test) on lately',
  },
]) {
  test(`controlTexts() names ${name}, each part once`, () => {
    const { headline, details } = controlTexts(compare({ a: 1 }, { a: 2 }, fields));

    assert.equal(headline, `${by.replace(/ \(.*/, '')} changed the enterprise controls: a`);
    assert.equal(details, `a 1 -> 2\nRevision 4 after 3, by ${by}`);
  });
}

const eighteen = (value: number): object =>
  Object.fromEntries(Array.from({ length: 18 }, (_, index) => [`s${index}`, value]));

test('controlTexts() lists fifteen settings and says how to see the others', () => {
  const { headline, details } = controlTexts(compare(eighteen(1), eighteen(2)));

  assert.match(headline, /: s0 and 17 more$/);
  const lines = details.split('\n');
  assert.equal(lines.length, 17);
  assert.equal(lines[15], 'and 3 more: hookbell service controls diff 3 4');
});

test('timeText() shows a time in UTC, and any other text unchanged', () => {
  assert.equal(timeText('2026-03-01T12:00:00+02:00'), '2026-03-01 10:00 UTC');
  assert.equal(timeText('lately'), 'lately');
});

test('revisionOf() cleans and cuts what the service says of a user', () => {
  const { by, updatedAt } = revisionOf(
    revision(1, {}, { user: { name: `A\u001b[31m${'b'.repeat(500)}`, email: ' \n' } }),
  );

  assert.deepEqual([by.id, by.email, updatedAt], [null, null, null]);
  assert.match(by.name ?? '', /^Ab{100,198}/);
  assert.ok((by.name ?? '').length <= 200);
});

for (const { name, before, after, lines } of [
  { name: 'nothing of two unset states', before: null, after: undefined, lines: [] },
  {
    name: 'an unset state and an empty one',
    before: null,
    after: {},
    lines: ['the settings not set -> {}'],
  },
  {
    name: 'list entries by number where two have the same name',
    before: {
      rules: [
        { id: 'a', on: 1 },
        { id: 'a', on: 2 },
      ],
    },
    after: {
      rules: [
        { id: 'a', on: 1 },
        { id: 'a', on: 3 },
      ],
    },
    lines: ['rules[1].on 2 -> 3'],
  },
  {
    name: 'names in quotes that are not identifiers',
    before: { 'a b': { 'x.y': 1 } },
    after: { 'a b': { 'x.y': 2 } },
    lines: ['["a b"]["x.y"] 1 -> 2'],
  },
  {
    name: 'the end of a list as its removal',
    before: { list: ['a'], other: 1 },
    after: { other: 1 },
    lines: ['list was removed - "a"'],
  },
  {
    name: 'an empty list that was set without entries',
    before: {},
    after: { list: [] },
    lines: ['list was set'],
  },
]) {
  test(`compareControls() shows ${name}`, () => {
    assert.deepEqual(compare(before, after).changes.map(changeText), lines);
  });
}

test('diffSettings() compares what is nested beyond any real setting as a whole', () => {
  const nested = (depth: number, value: number): object =>
    depth === 0 ? { value } : { in: nested(depth - 1, value) };

  const [change, ...others] = diffSettings(nested(80, 1), nested(80, 2));

  assert.deepEqual([change?.path.length, others], [50, []]);
  assert.deepEqual(change?.values, { before: nested(30, 1), after: nested(30, 2) });
});

test('readControlSettings() names the place of a setting of another type, and keeps the others', () => {
  const { settings, misfits } = readControlSettings({
    cloudSessionSync: true,
    sandbox: { enabled: true, network: { allowedDomains: 'all' } },
    'brand new': { any: 'thing' },
  });

  assert.deepEqual(misfits, ['$.sandbox.network.allowedDomains']);
  assert.deepEqual(settings, { cloudSessionSync: true, 'brand new': { any: 'thing' } });
});

test('the list of control changes names their authors as well as it can', () => {
  const column = routes['org.history'].view.columns.find(({ name }) => name === 'by');
  assert.ok(column !== undefined);

  const shown = [{ email: 'a@x.test', name: 'Ada' }, { name: 'Ada' }, {}, null].map((user) =>
    cellText({ user }, column),
  );

  assert.deepEqual(shown, ['a@x.test', 'Ada', '-', '-']);
});

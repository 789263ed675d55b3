import assert from 'node:assert/strict';
import { test } from 'node:test';

import { breakdowns } from '../../../../src/cli/vendor/commands/usage.ts';
import { cellText, plainValue } from '../../../../src/cli/vendor/column.ts';
import { exitCodeOf } from '../../../../src/cli/context.ts';
import { commandError } from '../../../../src/cli/vendor/with-client.ts';
import { MissingKeyError, RateLimitError } from '../../../../src/vendor/client/index.ts';
import type { JsonObject } from '../../../../src/platform/json.ts';

/** The rows of a breakdown as a table shows them. */
function shown(command: string, by: string, row: JsonObject): readonly (readonly string[])[] {
  const breakdown = breakdowns[command]?.[by];
  assert.ok(breakdown !== undefined);
  const columns = breakdown.view.columns.filter(({ csvOnly }) => csvOnly !== true);
  return breakdown
    .rowsOf(row, (text) => text.replaceAll('s3cret', '***'))
    .map((item) => columns.map((column) => cellText(item, column)));
}

const date = '2026-04-17';

for (const { command, by, row, rows } of [
  {
    command: 'tokens',
    by: 'user',
    row: { by_user: [{ user_email: null, user_id: 'u1', billable_tokens: 5 }, 'odd'] },
    rows: [[date, 'u1', '5']],
  },
  {
    command: 'tokens',
    by: 'user-model',
    row: {
      by_user: [
        { user_email: 'a@x.test', by_model: [{ model_id: 'm', billable_tokens: 5 }] },
        { user_email: 'b@x.test', by_model: null },
      ],
    },
    rows: [[date, 'a@x.test', 'm', '5', '-', '-']],
  },
  {
    command: 'tools',
    by: 'level',
    row: { tool_autonomy_level_ratio: { auto_high: 0.5 } },
    rows: [[date, 'auto_high', '0.5']],
  },
  { command: 'tools', by: 'level', row: { tool_autonomy_level_ratio: null }, rows: [] },
  {
    command: 'tools',
    by: 'hook',
    row: { hooks_by_event: [{ event: 'Stop', command: 'run s3cret', count: 2 }, { event: 'X' }] },
    rows: [
      [date, 'Stop', '-', 'run ***', '2'],
      [date, 'X', '-', '-', '-'],
    ],
  },
  { command: 'productivity', by: 'language', row: { by_language: null }, rows: [] },
]) {
  test(`a breakdown of ${command} by ${by} shows ${rows.length} rows of ${JSON.stringify(row)}`, () => {
    assert.deepEqual(shown(command, by, { date, ...row }), rows);
  });
}

test('a column shows a flag as a word, and what is not a time at all unchanged', () => {
  assert.equal(cellText({ x: true }, { name: 'x', from: 'x' }), 'yes');
  assert.equal(cellText({ x: true }, { name: 'x', from: 'x', kind: 'time' }), 'yes');
  assert.equal(plainValue({ x: { a: 1 } }, { name: 'x', from: 'x', kind: 'time' }), '{"a":1}');
});

const facts = { route: 'raw', method: 'GET', path: '/x', attempts: 1 };

for (const { retryAfterMs, hint } of [
  { retryAfterMs: null, hint: /did not return a retry time: try again in a few minutes/ },
  { retryAfterMs: 90_000, hint: /^Try again in 1 min 30 s\.$/ },
]) {
  test(`a rate limit of ${retryAfterMs} ms says when to try again`, () => {
    const error = commandError(new RateLimitError('Slow', { ...facts, retryAfterMs }), '/c.yaml');

    assert.equal(exitCodeOf(error), 7);
    assert.match(error.hint ?? '', hint);
  });
}

test('a missing key says where to write one, behind what the service says about keys', () => {
  const plain = commandError(new MissingKeyError('No key', facts), '/c.yaml');
  const more = commandError(new MissingKeyError('No key', { ...facts, hint: 'Make one.' }), '/c');

  assert.equal(exitCodeOf(plain), 5);
  assert.match(plain.hint ?? '', /^Set "api\.key" in "\/c\.yaml" to \{ env: NAME \}/);
  assert.match(more.hint ?? '', /^Make one\. Set "api\.key" in "\/c" to /);
});

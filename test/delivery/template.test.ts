import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { fillTidily, type Values } from '../../src/delivery/words.ts';

const values: Values = {
  active: '',
  changes: '',
  computer: '',
  credits: '',
  title: '',
  agent: 'droid',
  duration: '',
  event: 'Stop',
  input: '',
  kind: 'turn.done',
  message: 'All (green): done',
  project: '',
  reason: '',
  session: 'Fix it',
  session_id: 's1',
  tool: '',
};

describe('fillTidily()', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['{agent} is done ({duration})', 'droid is done'],
    ['{project}: {agent}', 'droid'],
    ['{session} · {reason}', 'Fix it'],
    ['{reason} · {session}', 'Fix it'],
    ['{message}\n{reason} ({duration})\n{session}', 'All (green): done\nFix it'],
    ['{message}\n\nReason: {reason}', 'All (green): done\n\nReason: '],
    ['{message}', 'All (green): done'],
    ['- {tool} -\n{agent}', 'droid'],
    ['{unknown} {agent}', '{unknown} droid'],
    ['', ''],
  ];
  for (const [template, wanted] of rows) {
    test(`makes ${JSON.stringify(wanted)} of ${JSON.stringify(template)}`, () => {
      assert.equal(fillTidily(template, values), wanted);
    });
  }
});

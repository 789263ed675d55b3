import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { claudeWitness, sessionRecord } from '../../src/agents/claude/session-record.ts';

/** The record of one session of Claude Code 2.1.332: starting, at its prompt, at work, and in three dialogs. */
const lines = readFileSync(
  new URL('../../../test/fixtures/records/claude-2.1.332.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n');

describe('the recorded states of a session of Claude Code', () => {
  test('claudeWitness.read() says of each what the session does, since when, and what it waits for', () => {
    const read = lines.map((line) => claudeWitness.read('55.json', line));

    assert.deepEqual(
      read.map((one) => one && [one.state, one.since - 1_795_751_400_000, one.waitingFor]),
      [
        null,
        ['idle', 787, null],
        ['working', 3_242, null],
        ['waiting', 13_579, 'permission prompt'],
        ['waiting', 33_951, 'input needed'],
        ['waiting', 973, 'dialog open'],
      ],
    );
    assert.deepEqual(read[3] && { ...read[3], since: 0 }, {
      state: 'waiting',
      since: 0,
      waitingFor: 'permission prompt',
      sessionId: 'b44fc826-9206-4fb7-9e31-305fdd5c1c01',
      cwd: '/home/dev/home/shop',
      pid: 55,
      start: '878064',
      version: '2.1.332',
      surface: 'cli',
    });
    assert.equal(claudeWitness.read('56.json', lines[3] ?? ''), null, 'of another process');
  });

  test('sessionRecord.answeredAt() dates the answer by the state after the dialog', () => {
    const sessionId = 'b44fc826-9206-4fb7-9e31-305fdd5c1c01';
    const answered = lines.map((line) =>
      sessionRecord.answeredAt(line, { sessionId, openedAt: 1_795_751_402_000 }),
    );

    assert.deepEqual(answered, [null, null, 1_795_751_403_242, null, null, null]);
  });
});

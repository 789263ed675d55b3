import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  afterOutcome,
  expired,
  type MachineQuestion,
  mirrored,
  overdue,
  vanished,
} from '../../../src/core/hub/mirror-question.ts';
import type { Question } from '../../../src/core/question.ts';

const NOW = 1_000;
const given = { choice: 'allow', by: 'Ada', via: '"team"', at: 500 } as const;
const taken = { ...given, via: '"team" through the hub', at: 510 } as const;

const held: Question = {
  id: 'a',
  sessionKey: 'ada-laptop/claude:s1',
  agent: 'claude',
  agentId: null,
  tool: 'Bash',
  requestHash: 'hash',
  callHash: null,
  hold: 'open',
  choices: ['allow', 'deny'],
  state: 'held',
  openedAt: 1,
  deadline: 2,
  answer: null,
  closedAt: null,
  reason: null,
};
const answered: Question = { ...held, state: 'answered', answer: given };
const closed = { state: 'released', closedAt: 900, reason: 'Answered in the terminal' } as const;

function reported(fields: Partial<MachineQuestion>): MachineQuestion {
  const { sessionKey: _, ...question } = held;
  return { ...question, ...fields };
}

describe('mirrored()', () => {
  test('leaves an answer on its way while the machine still holds the request', () => {
    assert.equal(mirrored(answered, reported({}), NOW), null);
  });

  test('takes the answer that the machine took elsewhere, and its end', () => {
    const elsewhere = { choice: 'deny', by: 'ada', via: 'the command line', at: 400 } as const;

    const next = mirrored(answered, reported({ state: 'answered', answer: elsewhere }), NOW);

    assert.deepEqual([next?.state, next?.answer], ['answered', elsewhere]);
  });

  test('knows its own answer again, and confirms it with the machine', () => {
    assert.equal(mirrored(answered, reported({ state: 'answered', answer: taken }), NOW), null);

    const end = reported({ state: 'confirmed', answer: taken, closedAt: 5_000 });
    const next = mirrored(answered, end, NOW);

    // The clock of the machine may be ahead.
    assert.deepEqual(next, { ...answered, state: 'confirmed', closedAt: NOW });
  });

  test('an answer is overtaken when the machine released the request', () => {
    const next = mirrored(answered, reported(closed), NOW);

    assert.deepEqual(next, { ...answered, ...closed, state: 'overtaken' });
  });

  for (const fields of [{ choice: 'deny' }, { by: 'Eve' }, { via: 'the command line' }] as const) {
    test(`takes an answer with another ${Object.keys(fields).join()} for one from elsewhere`, () => {
      const answer = { ...taken, ...fields };

      assert.equal(
        mirrored(answered, reported({ state: 'answered', answer }), NOW)?.answer,
        answer,
      );
    });
  }

  test('takes an end without an answer for the end, and dates it by the hub where the machine does not', () => {
    const next = mirrored(held, reported(closed), NOW);
    assert.deepEqual(next, { ...held, ...closed });
    const undated = mirrored(answered, reported({ ...closed, closedAt: null }), NOW);
    assert.equal(undated?.closedAt, NOW);
  });

  test('nothing leads back from the end', () => {
    const over: Question = { ...held, ...closed };

    assert.equal(mirrored(over, reported({}), NOW), null);
    assert.equal(mirrored(over, reported({ state: 'answered', answer: taken }), NOW), null);
    assert.equal(afterOutcome(over, 'No'), null);
  });
});

test('afterOutcome() opens a question again whose answer the machine refused, with the reason', () => {
  assert.equal(afterOutcome(answered, null), null);
  assert.deepEqual(afterOutcome(answered, 'No'), { ...held, reason: 'No' });
});

test('vanished() does not claim to know whether the agent got an answer that the machine may have fetched', () => {
  const pending = { answer: 'x', isHanded: true };

  assert.equal(vanished(held, null, NOW).state, 'released');
  assert.equal(vanished(answered, { ...pending, isHanded: false }, NOW).state, 'overtaken');
  for (const one of [pending, null]) {
    const { state, closedAt, reason } = vanished(answered, one, NOW);
    assert.deepEqual([state, closedAt], ['answered', NOW]);
    assert.match(reason ?? '', /before it said whether the agent got the answer/);
  }
});

test('expired() opens a question again, overdue() ends it', () => {
  assert.equal(expired(answered)?.state, 'held');
  assert.match(expired(answered)?.reason ?? '', /does not respond/);
  assert.equal(overdue(held, NOW).state, 'released');
  assert.deepEqual(
    [overdue(answered, NOW).state, overdue(answered, NOW).closedAt],
    ['answered', NOW],
  );
});

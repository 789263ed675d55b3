import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  actionKey,
  decisionIn,
  popUpDecision,
  type PopUpDecision,
} from '../../../src/channels/desktop/decision.ts';
import type { DecidableRequest } from '../../../src/core/notification.ts';

const requestHash = 'a1'.repeat(32);

function request(fields: Partial<DecidableRequest> = {}): DecidableRequest {
  const text = 'Bash\n  command: touch made';
  return { question: 'q-1', requestHash, choices: ['allow', 'deny'], text, asks: [], ...fields };
}

const labels = ({ buttons }: PopUpDecision): readonly string[] => buttons.map(({ label }) => label);

const asking = (options: readonly string[], several = false): DecidableRequest =>
  request({
    choices: ['deny', 'answer'],
    text: 'AskUserQuestion\n  questions: []',
    asks: [{ text: 'Which database?', options, several }],
  });

describe('popUpDecision()', () => {
  test('offers Allow below the whole request', () => {
    const decision = popUpDecision(request());

    assert.equal(decision.body, 'Bash\n  command: touch made');
    assert.deepEqual(labels(decision), ['Allow', 'Deny']);
  });

  test('leaves out what is offered for the session, which a plain Allow does not grant', () => {
    const choices = ['allow', 'allow-session', 'deny'] as const;
    const text = `Bash\n  command: ls\n  for the session: ${'x'.repeat(600)}`;

    const decision = popUpDecision(request({ choices, text }));

    assert.equal(decision.body, 'Bash\n  command: ls');
    assert.deepEqual(labels(decision), ['Allow', 'Deny']);
  });

  test('offers only Deny for what a server might cut, and for what cannot be shown', () => {
    const texts = [
      null,
      `Bash\n  command: ${'x'.repeat(400)}`,
      // Xfce cuts it.
      `Bash\n  command: ${'MW'.repeat(90)}END`,
      `Bash\n  command: ${'M'.repeat(20)} ${'W'.repeat(20)} ${'M'.repeat(20)} ${'W'.repeat(20)} rm`,
      `Bash\n  command: ${'true; '.repeat(14)}\n    | rm -rf /\n    | a\n    | b`,
      `Bash\n  command: ${'Ａ'.repeat(120)}`,
    ];
    for (const text of texts) {
      const decision = popUpDecision(request({ text }));
      assert.equal(decision.body, null);
      assert.deepEqual(labels(decision), ['Deny']);
    }
    assert.deepEqual(labels(popUpDecision(request({ choices: ['deny'] }))), ['Deny']);
  });

  test('offers the options of one question, and takes typed text as its answer', () => {
    const decision = popUpDecision(asking(['PostgreSQL', 'SQLite']));

    assert.equal(decision.body, 'Which database?\n1 PostgreSQL\n2 SQLite');
    assert.deepEqual(labels(decision), ['PostgreSQL', 'SQLite', 'Deny']);
    assert.equal(decision.typed, 'answer');
  });

  test('leaves questions that do not fit to the page and the terminal', () => {
    const two = asking(['a']);
    const several = [
      asking(['a', 'b', 'c', 'd', 'e']),
      asking(['a', 'b'], true),
      asking(['x'.repeat(40)]),
      { ...two, asks: [...two.asks, { text: 'And?', options: [], several: false }] },
    ];
    for (const one of several) {
      assert.deepEqual(labels(popUpDecision(one)), ['Deny']);
      assert.equal(popUpDecision(one).typed, 'deny');
    }
  });
});

test('decisionIn() reads the request and the choice out of the key of an action, and nothing else', () => {
  const decision = popUpDecision(asking(['PostgreSQL', 'SQLite']));
  const read = decision.buttons.map((button) => decisionIn(actionKey(button, decision)));

  assert.deepEqual(read, [
    { choice: 'answer', question: 'q-1', requestHash, option: 0, words: null },
    { choice: 'answer', question: 'q-1', requestHash, option: 1, words: null },
    { choice: 'deny', question: 'q-1', requestHash, option: null, words: null },
  ]);
  for (const key of ['default', 'reply', 'decide:allow:q-1::', `decide:ask:q:${requestHash}:`]) {
    assert.equal(decisionIn(key), null);
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decodePayload } from '../../src/agents/decode.ts';
import { traitsOf } from '../../src/agents/registry.ts';
import { answerLine } from '../../src/agents/support/answer-line.ts';
import { type AgentRequest, choicesFor, requestText } from '../../src/agents/support/request.ts';
import type { DecisionChoice } from '../../src/core/question.ts';

const FIFO = '0f8fad5b-d9cb-469f-a165-70867728950e';
const bash: AgentRequest = {
  from: 'hook',
  tool: 'Bash',
  input: { command: 'npm test' },
  suggestions: undefined,
};

const withInput = (input: unknown): AgentRequest => ({ ...bash, input });

function lineOf(request: AgentRequest, choice: DecisionChoice): string | null {
  return answerLine(request, { choice, words: null, answers: { 'Which?': 'x' } });
}

function choicesOf(agent: 'claude' | 'opencode', request: AgentRequest) {
  return choicesFor(request, traitsOf(agent).answers);
}

describe('the waiting hook of an event', () => {
  test('has no start where the system does not tell it', () => {
    const decoded = decodePayload({
      payload: Buffer.from('{"hook_event_name":"PermissionRequest","session_id":"s"}'),
      facts: { agent: 'claude', ask: `${FIFO}:12:-` },
    });

    assert.ok(decoded.ok);
    assert.equal(decoded.event.waits?.start, null);
  });
});

describe('a request of an odd shape', () => {
  test('shows an input that is not an object, and a field without a value', () => {
    assert.equal(requestText(withInput('ls')), 'Bash\n  input: ls');
    assert.equal(requestText(withInput(undefined)), 'Bash\n  input: null');
    assert.equal(
      requestText(withInput(['ls', 1])),
      'Bash\n  input: [\n    |  "ls",\n    |  1\n    | ]',
    );
    assert.equal(
      requestText(withInput({ command: 'ls', cwd: null })),
      'Bash\n  command: ls\n  cwd: null',
    );
  });

  test('offers nothing for the session where a suggestion has another shape', () => {
    for (const suggestions of ['addRules', [], [{ type: 'setMode' }, 'addRules']]) {
      const request = { ...bash, suggestions };

      assert.deepEqual(choicesOf('claude', request), ['allow', 'deny']);
      assert.equal(lineOf(request, 'allow-session'), null);
      assert.doesNotMatch(requestText(request) ?? '', /for the session/);
    }
  });

  test('lets a plan only be refused whose text is missing', () => {
    for (const input of ['# Do it', { plan: ' \n' }, { plan: ['# Do it'] }]) {
      assert.deepEqual(choicesOf('claude', { ...bash, tool: 'ExitPlanMode', input }), ['deny']);
    }
  });

  test('offers nothing for the session where a pattern is not a text', () => {
    const request: AgentRequest = { ...bash, from: 'plugin', suggestions: ['touch *', 1] };

    assert.deepEqual(choicesOf('opencode', request), ['allow', 'deny']);
    assert.equal(lineOf(request, 'allow-session'), null);
  });

  const oddQuestions: Readonly<Record<string, unknown>> = {
    'an input that is a text': 'Which database?',
    'no list': { questions: 'Which database?' },
    'an empty list': { questions: [] },
    'a question that is a text': { questions: ['Which database?'] },
    'a question without words': { questions: [{ header: 'DB', options: [] }] },
    'an option without a label': { questions: [{ question: 'Which?', options: [{ id: 1 }] }] },
    'an option that is a number': { questions: [{ question: 'Which?', options: [1] }] },
    'the same question twice': { questions: [{ question: 'Which?' }, { question: 'Which?' }] },
  };
  for (const [name, input] of Object.entries(oddQuestions)) {
    test(`lets questions only be refused that hold ${name}`, () => {
      const request = { ...bash, tool: 'AskUserQuestion', input };

      assert.deepEqual(choicesOf('claude', request), ['deny']);
      assert.equal(lineOf(request, 'answer'), null);
    });
  }

  test('offers an answer to a question without options, or with bare ones', () => {
    for (const options of [undefined, 'none', ['SQLite', 'Postgres']]) {
      const input = { questions: [{ question: 'Which?', options }] };
      const request = { ...bash, tool: 'AskUserQuestion', input };

      assert.deepEqual(choicesOf('claude', request), ['deny', 'answer']);
    }
  });
});

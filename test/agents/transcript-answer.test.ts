import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { answerIn } from '../../src/agents/complete.ts';
import { sampleEvent } from '../support/sample.ts';

const ASKED = Date.UTC(2026, 0, 5, 12);
const request = sampleEvent({ kind: 'needs.permission', tool: 'Bash', at: ASKED });

/** Lines of a transcript, each with its delay after the request in seconds. */
function transcript(...lines: readonly (readonly [seconds: number, fields: object])[]): string {
  return lines
    .map(([seconds, fields]) =>
      JSON.stringify({ timestamp: new Date(ASKED + seconds * 1_000).toISOString(), ...fields }),
    )
    .join('\n');
}

/** What three agents write of a call, and of its result. */
const agents = [
  {
    agent: 'Claude Code',
    call: (id: string, name = 'Bash') => ({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
    }),
    result: (id: string) => ({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
    }),
  },
  {
    agent: 'Codex CLI',
    call: (id: string) => ({
      type: 'response_item',
      payload: { type: 'function_call', name: 'exec_command', call_id: id, arguments: '{}' },
    }),
    result: (id: string) => ({
      type: 'response_item',
      payload: { type: 'function_call_output', call_id: id, output: 'ok' },
    }),
  },
  {
    agent: 'Qwen Code',
    call: (id: string, name = 'Bash') => ({
      type: 'assistant',
      message: { role: 'model', parts: [{ functionCall: { id, name, args: {} } }] },
    }),
    result: (id: string) => ({
      type: 'tool_result',
      message: { role: 'user', parts: [{ functionResponse: { id, response: {} } }] },
    }),
  },
] as const;

describe('answerIn() for Gemini CLI', () => {
  const call = { id: 'new', name: 'run_shell_command', args: {} };
  const of = (seconds: number, status: string): object => {
    const timestamp = new Date(ASKED + seconds * 1_000).toISOString();
    return { type: 'gemini', content: '', toolCalls: [{ ...call, status, timestamp }] };
  };
  const asked = sampleEvent({ kind: 'needs.permission', tool: null, at: ASKED });

  test('a permission that was refused is over, and so is the turn (E15)', () => {
    const line = transcript(
      [-1, of(5, 'cancelled')],
      [5, { type: 'info', content: 'Request cancelled.' }],
    );

    assert.deepEqual(answerIn(asked, line), { at: ASKED + 5_000, isTurnOver: true });
  });

  test('a permission that was given is over when its tool is, and not before', () => {
    assert.deepEqual(answerIn(asked, transcript([-1, of(9, 'success')])), {
      at: ASKED + 9_000,
      isTurnOver: false,
    });
    assert.equal(answerIn(asked, transcript([-1, of(0, 'running')])), null);
    assert.equal(answerIn(asked, transcript([-9, of(-8, 'success')])), null);
  });
});

/** What Copilot CLI writes of a permission, and of its answer. */
function requested(requestId: string): object {
  const permissionRequest = { kind: 'shell', fullCommandText: 'rm first.txt' };
  return { type: 'permission.requested', data: { requestId, permissionRequest } };
}

function completed(requestId: string, kind: string): object {
  const data = { requestId, toolCallId: 'call', result: { kind } };
  return { type: 'permission.completed', data };
}

describe('answerIn() for Copilot CLI', () => {
  const asked = sampleEvent({ agent: 'copilot', kind: 'needs.permission', tool: null, at: ASKED });
  test('a permission that was refused is over, and so is the turn, though no hook runs (E15)', () => {
    const open = transcript([-9, requested('old')], [-8, completed('old', 'approved')]);
    const waiting = `${open}\n${transcript([-0.1, requested('new')])}`;

    assert.equal(answerIn(asked, open), null);
    assert.equal(answerIn(asked, waiting), null);
    assert.deepEqual(
      answerIn(asked, `${waiting}\n${transcript([4, completed('new', 'cancelled')])}`),
      { at: ASKED + 4_000, isTurnOver: true },
    );
  });

  test('a permission that was given is over before its tool is', () => {
    const lines = transcript([0.2, requested('new')], [4, completed('new', 'approved')]);

    assert.deepEqual(answerIn(asked, lines), { at: ASKED + 4_000, isTurnOver: false });
  });

  test('of several permissions that are open all have to be answered', () => {
    const some = transcript(
      [-1, requested('a')],
      [0, requested('b')],
      [1, completed('a', 'approved')],
    );
    const later = transcript([5, requested('c')]);

    assert.equal(answerIn(asked, some), null);
    assert.equal(
      answerIn(asked, `${some}\n${transcript([7, completed('b', 'approved')])}\n${later}`)?.at,
      ASKED + 7_000,
    );
  });

  test('a line of another kind, or without the id of its permission, is passed over', () => {
    const lines = transcript(
      [-1, requested('new')],
      [1, { type: 'tool.execution_start', data: {} }],
      [2, { type: 'permission.completed' }],
      [3, { type: 'permission.completed', data: { requestId: 7 } }],
    );
    const without = transcript([4, { type: 'permission.completed', data: { requestId: 'new' } }]);

    assert.equal(answerIn(asked, lines), null);
    assert.deepEqual(answerIn(asked, `${lines}\n${without}`), {
      at: ASKED + 4_000,
      isTurnOver: false,
    });
  });

  test('an interrupted turn ends a question, too; the one before does not', () => {
    const abort = { type: 'abort', data: { reason: 'user_initiated' } };
    const question = { ...asked, kind: 'needs.input' as const };

    assert.equal(answerIn(question, transcript([-1, abort])), null);
    assert.deepEqual(answerIn(question, transcript([3, abort])), {
      at: ASKED + 3_000,
      isTurnOver: true,
    });
  });
});

describe('answerIn()', () => {
  for (const { agent, call, result } of agents) {
    test(`${agent}: a request is answered once its call has a result`, () => {
      const open = transcript([-9, call('old')], [-8, result('old')], [-1, call('new')]);

      assert.equal(answerIn(request, open), null);
      assert.deepEqual(answerIn(request, `${open}\n${transcript([4, result('new')])}`), {
        at: ASKED + 4_000,
        isTurnOver: false,
      });
    });

    test(`${agent}: of several calls that are open all have to be over`, () => {
      const open = transcript([-1, call('a')], [0.2, call('b')], [1, result('a')]);

      assert.equal(answerIn(request, open), null);
      assert.equal(
        answerIn(request, `${open}\n${transcript([7, result('b')])}`)?.at,
        ASKED + 7_000,
      );
    });

    test(`${agent}: a call that ended before, or began later, is ignored`, () => {
      const lines = transcript(
        [-9, call('a')],
        [-8, result('a')],
        [5, call('b')],
        [6, result('b')],
      );

      assert.equal(answerIn(request, lines), null);
    });
  }

  const [{ call, result }] = agents;

  test('a turn that the person breaks off is over', () => {
    const text = '[Request interrupted by user for tool use]';
    const broken = { message: { content: [{ type: 'text', text }] } };
    const lines = transcript([-1, call('a')], [3, result('a')], [3, broken]);

    assert.deepEqual(answerIn(request, lines), { at: ASKED + 3_000, isTurnOver: true });
  });

  test('a call of another tool, one of a subagent, and a line without a time are ignored', () => {
    const other = transcript([-1, call('a', 'Read')], [1, result('a')]);
    const aside = { isSidechain: true };
    const subagents = transcript(
      [-1, { ...call('a'), ...aside }],
      [1, { ...result('a'), ...aside }],
    );
    const timeless = [call('a'), result('a')].map((line) => JSON.stringify(line)).join('\n');

    for (const lines of [other, subagents, timeless, '', 'x\n{}\n[]']) {
      assert.equal(answerIn(request, lines), null, lines);
    }
    const mine = transcript([-1, call('a')], [1, result('a')]);
    assert.equal(answerIn({ ...request, subagent: true }, mine), null);
  });
});

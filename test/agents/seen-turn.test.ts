import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { plainDetails, turnDetails } from '../../src/agents/claude/seen-turn.ts';
import { linesFromEnd } from '../../src/agents/support/transcript-lines.ts';
import type { RecordedSession } from '../../src/core/agent/witness.ts';

const SINCE = Date.UTC(2026, 10, 28, 12);

function session(fields: Partial<RecordedSession> = {}): RecordedSession {
  const place = { cwd: '/home/dev/shop', pid: 42, start: '7', version: '2.1.332', surface: 'cli' };
  return { sessionId: 's1', state: 'idle', since: SINCE, waitingFor: null, ...place, ...fields };
}

const asks = session({ state: 'waiting', waitingFor: 'permission prompt' });
const asksInput = session({ state: 'waiting', waitingFor: 'input needed' });

const text = (words: string) => ({ type: 'text', text: words });
const call = (id: string, name = 'Bash') => ({ type: 'tool_use', id, name, input: { id } });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id });
const user = (content: unknown, fields: object = {}) => ({
  type: 'user',
  message: { content },
  ...fields,
});
const assistant = (id: string, ...content: readonly object[]) => ({
  type: 'assistant',
  message: { id, content },
});
const prompt = user('Fix the cart');
const failed = (words: string) => ({
  ...assistant('e', text(words)),
  isApiErrorMessage: true,
});
const over = { type: 'system', subtype: 'turn_duration' };
const interrupted = user([text('[Request interrupted by user for tool use]')]);

/** What the lines, the oldest first and each with the time, say of the session. */
function detailsOf(of: RecordedSession, lines: readonly object[], agoMs = 0) {
  const timestamp = new Date(SINCE - agoMs).toISOString();
  const written = lines.map((line) => JSON.stringify({ timestamp, ...line }));
  return turnDetails(of, linesFromEnd(written.join('\n')));
}

const done = (message?: string) => ({
  status: 'turn.done',
  ...(message !== undefined && { message }),
});

describe('turnDetails() of a turn that ended', () => {
  const rows: readonly (readonly [string, readonly object[], object | null])[] = [
    [
      'the last words',
      [prompt, assistant('a', text('Wait')), assistant('b', text('Done'))],
      done('Done'),
    ],
    [
      'the last part of the last words',
      [prompt, assistant('a', text('One'), text('Two'))],
      done('Two'),
    ],
    [
      'words before a call that has ended',
      [prompt, assistant('a', text('Hm'), call('1')), user([result('1')]), over],
      done('Hm'),
    ],
    ['nothing while only the prompt is there', [prompt], null],
    ['nothing while a call is open', [prompt, assistant('a', text('Hm'), call('1'))], null],
    [
      'the end although a call is open',
      [prompt, assistant('a', text('Hm'), call('1')), over],
      done('Hm'),
    ],
    ['an end without words', [prompt, over], done()],
    ['no words of the turn before', [prompt, assistant('a', text('Old')), prompt, over], done()],
    [
      'words before a line that only the agent wrote',
      [prompt, assistant('a', text('Done')), user('Caveat', { isMeta: true })],
      done('Done'),
    ],
    [
      'an interruption',
      [prompt, assistant('a', text('Hm')), interrupted],
      { status: 'turn.interrupted' },
    ],
    [
      'no interruption of the turn before',
      [prompt, interrupted, prompt, assistant('b', text('Done'))],
      done('Done'),
    ],
    [
      'the newest error',
      [prompt, failed('529'), failed('400')],
      { status: 'turn.failed', error: '400' },
    ],
    [
      'an error although words came before it',
      [prompt, assistant('a', text('Hm')), failed('529')],
      { status: 'turn.failed', error: '529' },
    ],
    [
      'words although an error came before them',
      [prompt, failed('529'), assistant('a', text('Done'))],
      done('Done'),
    ],
    [
      'no words of a subagent',
      [prompt, { ...assistant('a', text('Aside')), isSidechain: true }],
      null,
    ],
    [
      'no words without a time',
      [prompt, { ...assistant('a', text('Done')), timestamp: undefined }],
      null,
    ],
  ];
  for (const [name, lines, wanted] of rows) {
    test(`shows ${name}`, () => assert.deepEqual(detailsOf(session(), lines), wanted));
  }

  test('takes the end of another turn, half a minute before, for none of this one', () => {
    const lines = [prompt, assistant('a', text('Done')), over];

    assert.deepEqual(detailsOf(session(), lines, 30_000), done('Done'));
    assert.equal(detailsOf(session(), lines, 30_001), null);
    const late = { ...user('Later'), timestamp: new Date(SINCE).toISOString() };
    assert.equal(detailsOf(session(), [...lines, late], 30_001), null, 'the person wrote it');
  });
});

const asked = (id: string, name = 'Bash') => ({
  status: name === 'AskUserQuestion' ? 'needs.input' : 'needs.permission',
  tool_name: name,
  tool_input: { id },
});

const several = (names: string) => ({
  status: 'needs.permission',
  message: `One of several calls needs a permission: ${names}`,
});

describe('turnDetails() of a wait', () => {
  const rows: readonly (readonly [string, RecordedSession, readonly object[], object | null])[] = [
    ['nothing before its call is written', asks, [prompt, assistant('a', text('Hm'))], null],
    [
      'the call that is open',
      asks,
      [prompt, assistant('a', call('1'), call('2')), user([result('1')])],
      asked('2'),
    ],
    [
      'all that are open',
      asks,
      [prompt, assistant('a', call('1'), call('2', 'Edit'))],
      several('Bash, Edit'),
    ],
    [
      'calls of one message in several lines',
      asks,
      [prompt, assistant('a', call('1')), assistant('a', call('2', 'Edit'))],
      several('Bash, Edit'),
    ],
    [
      'only the calls of the newest message',
      asks,
      [prompt, assistant('a', call('1')), assistant('b', call('2'))],
      asked('2'),
    ],
    [
      'a call beside a question',
      asks,
      [prompt, assistant('a', call('1', 'AskUserQuestion'), call('2'))],
      asked('2'),
    ],
    [
      'a question beside a call',
      asksInput,
      [prompt, assistant('a', call('1', 'AskUserQuestion'), call('2'))],
      asked('1', 'AskUserQuestion'),
    ],
    [
      'a call beside one of another agent',
      asks,
      [prompt, assistant('a', call('1', 'Task'), call('2'), call('3', 'Agent'))],
      asked('2'),
    ],
    [
      'what is known while only another agent runs',
      asks,
      [prompt, assistant('a', call('1', 'Agent'))],
      plainDetails(asks),
    ],
    [
      'what is known of another dialog',
      session({ state: 'waiting', waitingFor: 'dialog open' }),
      [prompt, assistant('a', call('1'))],
      { status: 'needs.input', message: 'A dialog is open' },
    ],
    [
      'nothing of a call that has ended',
      asks,
      [prompt, assistant('a', call('1')), user([result('1')])],
      null,
    ],
  ];
  for (const [name, of, lines, wanted] of rows) {
    test(`shows ${name}`, () => assert.deepEqual(detailsOf(of, lines), wanted));
  }

  test('cuts the names of many calls', () => {
    const calls = Array.from({ length: 99 }, (_, id) => call(String(id), 'ALongNameOfATool'));

    const { message = '' } = detailsOf(asks, [assistant('a', ...calls)]) ?? {};

    assert.match(message, /^One of several calls needs a permission: ALongNameOfATool, .*\u2026$/);
    assert.ok(message.length < 300);
  });
});

describe('plainDetails()', () => {
  test('takes a session at its prompt for interrupted, and one at work for nothing', () => {
    assert.deepEqual(plainDetails(session()), { status: 'turn.interrupted' });
    assert.deepEqual(plainDetails(session({ state: 'working' })), { status: 'activity' });
    assert.deepEqual(detailsOf(session({ state: 'working' }), [prompt, over]), {
      status: 'activity',
    });
  });

  const waits: readonly (readonly [string | null, string | null, string, string])[] = [
    ['permission prompt', 'cli', 'needs.permission', 'A permission dialog is open'],
    ['worker request', null, 'needs.permission', 'A teammate needs a permission'],
    [
      'goal proposal',
      'claude-vscode',
      'needs.input',
      'It proposes a goal for the session in VS Code',
    ],
    ['brand\nnew', 'constructor', 'needs.input', 'It waits: brand new'],
    ['toString', 'cli', 'needs.input', 'It waits: toString'],
    [null, 'claude-desktop', 'needs.input', 'It waits:  in the desktop app'],
  ];
  for (const [waitingFor, surface, status, message] of waits) {
    test(`says of ${JSON.stringify(waitingFor)} in ${surface}: ${message}`, () => {
      const details = plainDetails(session({ state: 'waiting', waitingFor, surface }));

      assert.deepEqual(details, { status, message });
    });
  }

  test('cuts a long word of the agent', () => {
    const waitingFor = 'x'.repeat(4_000);

    const { message = '' } = plainDetails(session({ state: 'waiting', waitingFor }));

    assert.equal(message.length, 'It waits: '.length + 200);
  });
});

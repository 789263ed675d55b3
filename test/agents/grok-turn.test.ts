import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { wantedTranscript } from '../../src/agents/complete.ts';
import { grokWitness } from '../../src/agents/grok/session-events.ts';
import { linesFromEnd } from '../../src/agents/support/transcript-lines.ts';
import type { RecordedSession } from '../../src/core/agent/witness.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { sampleEvent } from '../support/sample.ts';

const SINCE = Date.parse('2026-11-28T16:00:00.000Z');

function session(fields: Partial<RecordedSession> = {}): RecordedSession {
  const place = { cwd: null, pid: 127, start: null, version: null, surface: null };
  return { sessionId: 's', state: 'idle', since: SINCE, waitingFor: null, ...place, ...fields };
}

const tail = (lines: readonly object[]) =>
  linesFromEnd(lines.map((line) => JSON.stringify(line)).join('\n'));

/** A line of `updates.jsonl`. */
const update = (sessionUpdate: string, fields: object = {}) => ({
  params: { update: { sessionUpdate, ...fields } },
});
const prompt = update('user_message_chunk', { content: { text: 'Write it' } });
const said = (text: string) => update('agent_message_chunk', { content: { text } });
const call = (toolCallId: string, title = 'shell') =>
  update('tool_call', { toolCallId, title, rawInput: { id: toolCallId } });
const ended = (toolCallId: string, status = 'completed') =>
  update('tool_call_update', { toolCallId, status });
const completed = (stop_reason?: string) => update('turn_completed', { stop_reason });

describe('grokWitness.details() of the end of a turn', () => {
  const rows: readonly (readonly [string, readonly object[], object | null])[] = [
    ['nothing before it is written', [prompt, said('Hm')], null],
    [
      'its last words, in pieces',
      [prompt, said('It is '), said('written'), completed('end_turn')],
      { status: 'turn.done', message: 'It is written' },
    ],
    [
      'no words from before a call',
      [prompt, said('Hm'), call('1'), ended('1'), said('Done'), completed('end_turn')],
      { status: 'turn.done', message: 'Done' },
    ],
    [
      'no words of the turn before',
      [said('Old'), completed('end_turn'), prompt, completed('end_turn')],
      { status: 'turn.done' },
    ],
    [
      'words before other lines',
      [prompt, said('Done'), update('usage'), {}, completed('end_turn')],
      { status: 'turn.done', message: 'Done' },
    ],
    [
      'an interruption',
      [prompt, said('Hm'), completed('cancelled')],
      { status: 'turn.interrupted' },
    ],
    [
      'the newest reason',
      [completed('end_turn'), completed('max_tokens')],
      { status: 'turn.failed', error: 'The turn ended: max_tokens' },
    ],
    [
      'a failure without a reason',
      [prompt, completed()],
      { status: 'turn.failed', error: 'The turn ended: ' },
    ],
  ];
  for (const [name, lines, wanted] of rows) {
    test(`shows ${name}`, () => {
      assert.deepEqual(grokWitness.details(session(), tail(lines)), wanted);
    });
  }

  test('cuts a long reason', () => {
    const details = grokWitness.details(session(), tail([completed('x'.repeat(500))]));

    assert.equal(details?.error?.length, 'The turn ended: '.length + 100);
  });
});

describe('grokWitness.details() of a wait', () => {
  const waits = session({ state: 'waiting', waitingFor: 'shell' });
  const rows: readonly (readonly [string, readonly object[], string | null])[] = [
    ['the open call', [prompt, call('1')], '1'],
    ['the newest of several', [prompt, call('1'), call('2'), call('3', 'read')], '2'],
    ['the call that has not ended', [prompt, call('1'), call('2'), ended('2')], '1'],
    ['the call that has not failed', [prompt, call('1'), call('2'), ended('2', 'failed')], '1'],
    ['the call that goes on', [prompt, call('1'), call('2'), ended('2', 'in_progress')], '2'],
    ['no call of the turn before', [call('1'), completed('end_turn'), prompt], null],
    ['no call from before the prompt', [call('1'), prompt], null],
    ['no call of another tool', [prompt, call('1', 'read')], null],
    ['no call without a name', [prompt, update('tool_call', { toolCallId: '1' })], null],
  ];
  for (const [name, lines, wanted] of rows) {
    test(`shows ${name}`, () => {
      const details = grokWitness.details(waits, tail(lines));

      const input =
        details === null
          ? null
          : { status: 'needs.permission', tool_name: 'shell', tool_input: { id: wanted } };
      assert.equal(details === null, wanted === null);
      assert.deepEqual(details, input);
    });
  }
});

const plain = (fields: Partial<RecordedSession>) => grokWitness.plain(session(fields));

test('grokWitness.plain() says what it waits for', () => {
  const long = plain({ state: 'waiting', waitingFor: 'x'.repeat(500) }).message ?? '';

  assert.equal(plain({}).status, 'turn.done');
  assert.equal(plain({ state: 'waiting', waitingFor: 'shell' }).status, 'needs.permission');
  assert.equal(plain({ state: 'waiting', waitingFor: 'ask_user_question' }).status, 'needs.input');
  assert.equal(long.length, 'It asks for a permission: '.length + 200);
});

test('the transcript of Grok Build is wanted for a wait of the main conversation that does not say for what', () => {
  const transcriptPath = '/home/dev/.grok/sessions/shop/s/updates.jsonl';
  const wanted = (fields: Partial<HookEvent>) =>
    wantedTranscript(sampleEvent({ agent: 'grok', transcriptPath, asked: null, ...fields }))
      ?.isLate;
  const asked = { action: 'run', text: 'ls', options: [] } as const;

  assert.equal(wanted({ kind: 'needs.permission' }), true);
  assert.equal(wanted({ kind: 'turn.done' }), undefined);
  assert.equal(wanted({ kind: 'needs.permission', asked }), undefined);
  assert.equal(wanted({ kind: 'needs.permission', subagent: true }), undefined);
});

const listed = (fields: object, count = 1) => {
  const one = { session_id: 'abcdefgh', pid: 2, opened_at: '2026-11-28T16:00:00Z', ...fields };
  return [
    grokWitness.read(
      'active_sessions.json',
      JSON.stringify(Array.from({ length: count }, () => one)),
    ) ?? [],
  ].flat();
};

describe('grokWitness.read()', () => {
  test('lists sessions as idle since they were opened', () => {
    assert.deepEqual(listed({ cwd: '/w' }), [
      session({ sessionId: 'abcdefgh', pid: 2, cwd: '/w' }),
    ]);
    assert.equal(listed({ cwd: 7 })[0]?.cwd, null);
    assert.equal(listed({}, 200).length, 200);
    assert.equal(listed({}, 201).length, 0);
  });

  test('takes no session with an odd id or process', () => {
    for (const fields of [
      { session_id: 'short' },
      { session_id: 'x'.repeat(101) },
      { pid: 1 },
      { pid: 2.5 },
      { opened_at: 7 },
    ])
      assert.deepEqual(listed(fields), [], JSON.stringify(fields));
  });
});

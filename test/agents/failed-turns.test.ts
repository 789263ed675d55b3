import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { completeEvent, failureIn, wantedTranscript } from '../../src/agents/complete.ts';
import type { DialectName, HookEvent } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';

const AT = '2026-11-22T18:45:48.757Z';
const at = Date.parse(AT);
const path = '/home/dev/t.jsonl';

function line(fields: object): string {
  return JSON.stringify({ timestamp: AT, ...fields });
}

/** A line of the transcript of Codex CLI. */
const codex = (type: string, fields: object = {}) =>
  line({ type: 'event_msg', payload: { type, turn_id: 't1', ...fields } });
const plan = (text: string, turn = 't1') =>
  codex('item_completed', { turn_id: turn, item: { type: 'Plan', text } });
const failed = codex('task_complete', { error: { message: '400 {"message":"No such model"}' } });
const complete = codex('task_complete', { last_agent_message: 'Done' });
const copilotError = line({ type: 'session.error', id: 'e1', data: { message: '400 Too long' } });

function completed(
  agent: DialectName,
  payload: object,
  tail: readonly string[],
  fields: Partial<HookEvent> = {},
): HookEvent {
  const event = sampleEvent({ ...decodedEvent(payload, { agent }), ...fields });
  return completeEvent({ event, payload: Buffer.from(JSON.stringify(payload)) }, tail.join('\n'));
}

const of = (agent: 'codex' | 'copilot' | 'droid') =>
  sampleEvent({ agent, kind: 'prompt', sessionId: 's', cwd: '/w', transcriptPath: path });

describe('failureIn()', () => {
  test('makes of a failed turn of Codex CLI what a hook would send', () => {
    const failure = failureIn(of('codex'), { since: at, tail: `half\n${failed}` });

    assert.deepEqual([failure?.turn, failure?.at], ['t1', at]);
    assert.deepEqual(JSON.parse(Buffer.from(failure?.payload ?? []).toString()), {
      hook_event_name: 'TranscriptFailure',
      session_id: 's',
      transcript_path: path,
      cwd: '/w',
      turn_id: 't1',
      error: { message: '400 No such model' },
    });
    const { kind, message } = decodedEvent(failure?.payload ?? '', { agent: 'codex' });
    assert.deepEqual([kind, message], ['turn.failed', '400 No such model']);
  });

  test('makes of a failed turn of Copilot CLI the same', () => {
    const { turn } = failureIn(of('copilot'), { since: at, tail: copilotError }) ?? {};

    assert.equal(turn, 'e1');
  });

  const none: readonly (readonly [string, Parameters<typeof of>[0], readonly string[]])[] = [
    ['a turn that is complete', 'codex', [complete]],
    ['a turn after the failed one', 'codex', [failed, codex('task_started')]],
    ['an interrupted turn', 'codex', [failed, codex('turn_aborted')]],
    ['an error without words', 'codex', [codex('task_complete', { error: { message: '' } })]],
    [
      'a prompt after the error',
      'copilot',
      [copilotError, line({ type: 'user.message', id: 'u', data: {} })],
    ],
    ['an agent whose hooks report failures', 'droid', [failed, copilotError]],
    ['an empty transcript', 'codex', []],
  ];
  for (const [name, agent, lines] of none) {
    test(`finds none in ${name}`, () => {
      assert.equal(failureIn(of(agent), { since: 0, tail: lines.join('\n') }), null);
    });
  }

  test('finds a failure although a plan follows it, and none from before', () => {
    const tail = [failed, plan('# Plan')].join('\n');

    assert.notEqual(failureIn(of('codex'), { since: at, tail }), null);
    assert.equal(failureIn(of('codex'), { since: at + 1, tail }), null);
    const unproved = { ...of('codex'), isUnproved: true as const };
    assert.equal(failureIn(unproved, { since: 0, tail }), null);
  });
});

const wantedOfCodex = (fields: Partial<HookEvent>) =>
  wantedTranscript({ ...of('codex'), message: null, kind: 'turn.done', ...fields });

describe('the transcript of Codex CLI', () => {
  const stop = { session_id: 's', hook_event_name: 'Stop', turn_id: 't1', cwd: '/w' };
  const end = { session_id: 's', hook_event_name: 'SessionEnd', reason: 'exit' };

  test('is wanted at ends without words, and not of a subagent', () => {
    assert.deepEqual(wantedOfCodex({}), { path, isLate: false });
    assert.deepEqual(wantedOfCodex({ kind: 'session.end' }), { path, isLate: false });
    assert.equal(wantedOfCodex({ kind: 'turn.failed' }), null);
    assert.equal(wantedOfCodex({ subagent: true }), null);
    assert.equal(wantedOfCodex({ message: 'Done' }), null);
    assert.equal(wantedOfCodex({ machine: 'build-7' }), null);
    assert.equal(wantedOfCodex({ transcriptPath: null }), null);
    assert.equal(wantedOfCodex({ isUnproved: true as const }), null);
  });

  test('shows the last plan of the turn, which waits for approval', () => {
    const lines = [plan('# Old'), plan('# New'), plan('# Other', 't2'), complete];

    const { kind, asked, subject } = completed('codex', stop, lines);

    assert.deepEqual(
      [kind, asked?.action, asked?.text, subject],
      ['needs.permission', 'plan', '# New', 't1'],
    );
    assert.equal(completed('codex', stop, [plan('# Other', 't2'), plan('')]).kind, 'turn.done');
  });

  test('says of a session that ended in a failed turn that it has failed', () => {
    const bad = completed('codex', end, [failed]);
    const good = completed('codex', end, [complete]);

    assert.deepEqual([bad.failed, bad.reason, bad.message], [true, null, '400 No such model']);
    assert.deepEqual([good.failed, good.reason, good.message], [false, 'exit', null]);
  });
});

describe('the transcript of Copilot CLI', () => {
  const end = { sessionId: 'c', hook_event_name: 'sessionEnd', timestamp: 1, reason: 'error' };

  test('says why a session ended that has failed', () => {
    assert.equal(completed('copilot', end, [copilotError]).message, '400 Too long');
    const silent = line({ type: 'session.error', id: 'e2', data: {} });
    assert.equal(completed('copilot', end, [silent]).message, null);
  });
});

describe('the transcript of Gemini CLI', () => {
  const end = {
    session_id: 'g',
    hook_event_name: 'AfterAgent',
    prompt_response: '[no response text]',
  };
  const prompt = line({ type: 'user', content: [{ text: 'Publish it' }] });
  const said = (type: string, content: unknown) => line({ type, content });
  const endOf = (...lines: readonly string[]) => {
    const { kind, message, failed: hasFailed } = completed('gemini', end, lines);
    return [kind, message, hasFailed];
  };
  const nothing = ['turn.done', 'It stopped without an answer', false];

  test('tells a failed and an interrupted turn apart', () => {
    const error = said('error', '[API Error: {"error":{"code":400,"message":"No such model"}}]');

    assert.deepEqual(endOf(prompt, error), ['turn.failed', 'API Error: No such model', true]);
    assert.deepEqual(endOf(prompt, said('error', ' [Old] '), said('error', 'New')), [
      'turn.failed',
      'New',
      true,
    ]);
    assert.deepEqual(endOf(prompt, said('info', 'Request cancelled.')), [
      'turn.interrupted',
      null,
      false,
    ]);
  });

  test('takes nothing from the turn before, nor from other lines', () => {
    assert.deepEqual(endOf(prompt, said('error', 'x'), prompt), nothing);
    assert.deepEqual(endOf(prompt, said('info', 'Request cancelled.'), prompt), nothing);
    assert.deepEqual(endOf(prompt, said('info', 'No Request cancelled.')), nothing);
    assert.deepEqual(endOf(prompt, said('info', ['Request cancelled.'])), nothing);
    assert.deepEqual(endOf(prompt, said('gemini', 'Request cancelled.')), nothing);
  });

  test('is wanted only at the end of a turn without an answer', () => {
    const message = 'It stopped without an answer';
    const wanted = (fields: Partial<HookEvent>) =>
      wantedTranscript(sampleEvent({ agent: 'gemini', transcriptPath: path, message, ...fields }));

    assert.deepEqual(wanted({ kind: 'turn.done' }), { path, isLate: false });
    assert.equal(wanted({ kind: 'session.end' }), null);
    assert.equal(wanted({ kind: 'turn.done', message: 'Done' }), null);
  });
});

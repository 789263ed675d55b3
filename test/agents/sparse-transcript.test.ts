import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { completeEvent } from '../../src/agents/complete.ts';
import type { DialectName, HookEvent } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';

/** An event and what it is after its transcript was read. */
function completed(
  transcript: readonly string[],
  payload: Record<string, unknown>,
  agent: DialectName = 'droid',
): HookEvent {
  const event = sampleEvent(decodedEvent({ cwd: '/w', timestamp: 1, ...payload }, { agent }));
  const record = { event, payload: Buffer.from(JSON.stringify(payload)) };
  return completeEvent(record, transcript.join('\n'));
}

/** A line of droid's transcript, in the shape that droid 0.215 writes. */
const line = (role: string, content: unknown, id = 'm') =>
  JSON.stringify({ type: 'message', id, parentId: 'p', message: { role, content } });
const said = (text: string) => [{ type: 'text', text }];
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const run = (id: string) => call(id, 'Execute', { command: `npm run ${id}` });
const prompt = line('user', said('Publish it'), 'prompt');
const stop = { session_id: 's', hook_event_name: 'Stop', message_id: 'end' };
const permission = (count: number) => ({
  session_id: 's',
  hook_event_name: 'Notification',
  notification_type: 'permission_prompt',
  message: `Factory CLI needs permission to execute ${count} tool(s)`,
});

const copilotLine = (type: string, data: object) =>
  JSON.stringify({ type, id: 'e', timestamp: '2026-11-22T18:45:48.757Z', data });
const copilotSays = (content: string) => copilotLine('assistant.message', { content });
const copilotPrompt = copilotLine('user.message', { content: 'Again' });
const agentStop = { sessionId: 'c', stopReason: 'end_turn', hook_event_name: 'agentStop' };

const geminiPrompt = JSON.stringify({ type: 'user', content: [{ text: 'Publish it' }] });
const failure = (content: unknown) => JSON.stringify({ type: 'error', content });
const afterAgent = {
  session_id: 'g',
  hook_event_name: 'AfterAgent',
  prompt_response: '[no response text]',
};

const geminiEnd = (lines: readonly string[]) => {
  const { kind, message } = completed(lines, afterAgent, 'gemini');
  return [kind, message];
};

describe('completeEvent() with lines that lack something', () => {
  test('shows the question of Copilot CLI without options where it has none or is a form', () => {
    const text = 'Which database?';
    const field = { enum: ['SQLite', 'Other'] };
    const payload = {
      sessionId: 'c',
      hook_event_name: 'Notification',
      notification_type: 'elicitation_dialog',
    };
    const optionsOf = (toolName: string, given: object) => {
      const question = copilotLine('tool.execution_start', { toolName, arguments: given });
      const { asked } = completed([copilotPrompt, question], payload, 'copilot');
      return asked?.options ?? null;
    };
    const form = { properties: { database: field, name: {} } };

    assert.deepEqual(optionsOf('ask_user', { message: text }), []);
    assert.deepEqual(optionsOf('ask_user', { message: text, requestedSchema: form }), []);
    assert.deepEqual(
      optionsOf('ask_user', { message: text, requestedSchema: { properties: { name: {} } } }),
      [],
    );
    assert.deepEqual(
      optionsOf('ask_user', { message: text, requestedSchema: 'of another kind' }),
      [],
    );
    assert.equal(optionsOf('ask_user', { question: text }), null);
    assert.equal(optionsOf('bash', { message: text }), null);
  });

  test('leaves the end of a session of Copilot CLI as it is without an error, or one without words', () => {
    const ends = { sessionId: 'c', hook_event_name: 'sessionEnd', reason: 'error' };
    const before = completed([], ends, 'copilot').message;

    for (const lines of [
      [copilotPrompt, copilotSays('Done.')],
      [copilotPrompt, copilotLine('session.error', {})],
      [copilotLine('session.error', { message: '400 No such model' }), copilotPrompt],
    ]) {
      const { message, failed } = completed(lines, ends, 'copilot');
      assert.deepEqual([message, failed], [before, true], String(lines));
    }
  });

  test('passes over a line of Copilot CLI without words, and one of another shape', () => {
    const turn = [copilotPrompt, copilotSays('Done.'), copilotLine('assistant.message', {}), '{}'];

    const { message } = completed(turn, agentStop, 'copilot');

    assert.equal(message, 'Done.');
  });

  test('leaves open what failed a turn of Gemini CLI where its words are none', () => {
    assert.deepEqual(geminiEnd([geminiPrompt, '{"sessionId":"g"}', failure('Out of quota')]), [
      'turn.failed',
      'Out of quota',
    ]);
    assert.deepEqual(geminiEnd([geminiPrompt, failure([{ text: 'x' }])]), ['turn.failed', null]);
  });

  test('takes a request of droid without a number for one call, and says how many more of several', () => {
    const bare = { ...permission(1), message: 'Factory CLI needs permission' };
    const unread = '{"type":"session_start","title":"t"}';

    const one = completed([unread, line('assistant', [run('a')])], bare);
    const three = completed([line('assistant', ['a', 'b', 'c'].map(run))], permission(3));
    const none = completed([prompt], permission(1));

    assert.equal(one.asked?.text, 'npm run a');
    assert.equal(three.asked?.text, 'npm run a\n(and 2 more calls)');
    assert.equal(none.asked, null);
  });

  test('leaves a question of droid open that has another shape', () => {
    const question = line('assistant', [
      call('1', 'AskUser', { questionnaire: '[topic] Store\n[option] SQLite' }),
    ]);
    const payload = {
      session_id: 's',
      hook_event_name: 'Notification',
      message: 'Factory CLI is asking the user 1 question(s)',
    };

    const { kind, asked } = completed([prompt, question], payload);

    assert.deepEqual([kind, asked], ['needs.input', null]);
  });

  test('adds only the text of the last words of droid, not what it thought', () => {
    const parts = [{ type: 'thinking', thinking: 'Hm' }, ...said('All pass.')];
    const answer = line('assistant', parts, 'end');

    const { message } = completed([prompt, answer], stop);

    assert.equal(message, 'All pass.');
  });
});

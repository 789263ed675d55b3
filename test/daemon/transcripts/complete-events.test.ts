import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { DialectName, HookEvent, HookRecord } from '../../../src/core/hook-event.ts';
import { completeEvents } from '../../../src/daemon/transcripts/complete-events.ts';
import { nearFiles } from '../../../src/daemon/far-files/file-jobs.ts';
import { transcriptTails } from '../../../src/daemon/transcripts/transcript-title.ts';
import { decodedEvent } from '../../support/decoded.ts';
import { sampleEvent } from '../../support/sample.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const uid = process.geteuid?.() ?? null;

/** A line of droid's transcript, in the shape that droid 0.215 writes. */
function line(role: string, content: unknown, fields: { id?: string; visibility?: string } = {}) {
  const { id = 'm', visibility } = fields;
  const message = { role, content, ...(visibility !== undefined && { visibility }) };
  return JSON.stringify({ type: 'message', id, parentId: 'p', message });
}

const said = (text: string) => [{ type: 'text', text }];
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const prompt = line('user', said('Publish it'), { id: 'prompt' });
const ran = (id: string) => line('user', [{ type: 'tool_result', tool_use_id: id, content: '' }]);
const hookRan = line('user', [], { id: 'hook', visibility: 'user_only' });

/** An event of droid and what it is after its transcript was read. */
async function completed(
  transcript: readonly string[],
  payload: Record<string, unknown>,
  agent: DialectName = 'droid',
): Promise<HookEvent> {
  await using directory = await temporaryDirectory();
  // Where an agent keeps its transcripts proves that it sent the event.
  const home = join(directory.path, agent === 'copilot' ? '.copilot' : '');
  await mkdir(home, { recursive: true });
  const path = join(home, 't.jsonl');
  await writeFile(path, `${transcript.join('\n')}\n`);
  const complete = completeEvents({
    readTail: transcriptTails({ files: nearFiles, home: directory.path, uid }),
    prepare: (record) => record,
    projects: { look: async () => undefined },
  });
  const [record] = await complete([
    recordOf({ cwd: '/w', transcript_path: path, ...payload }, agent),
  ]);
  assert.ok(record);
  return record.event;
}

function recordOf(payload: object, agent: DialectName): HookRecord {
  const event = sampleEvent(decodedEvent(payload, { agent }));
  return { event, payload: Buffer.from(JSON.stringify(payload)) };
}

const stop = { session_id: 's', hook_event_name: 'Stop', message_id: 'end' };
const permission = (count: number) => ({
  session_id: 's',
  hook_event_name: 'Notification',
  notification_type: 'permission_prompt',
  message: `Factory CLI needs permission to execute ${count} tool(s)`,
});

const copilotLine = (type: string, data: object, fields: object = {}) =>
  JSON.stringify({ type, id: 'e', timestamp: '2026-11-22T18:45:48.757Z', data, ...fields });
const copilotSays = (content: string, fields: object = {}) =>
  copilotLine('assistant.message', { content }, fields);
const copilotPrompt = copilotLine('user.message', { content: 'Again' });
const agentStop = { sessionId: 'c', stopReason: 'end_turn', hook_event_name: 'agentStop' };

const geminiPrompt = JSON.stringify({ type: 'user', content: [{ text: 'Publish it' }] });
const afterAgent = {
  session_id: 'g',
  hook_event_name: 'AfterAgent',
  prompt_response: '[no response text]',
};

const geminiEnd = async (lines: readonly string[]) => {
  const { kind, message } = await completed(lines, afterAgent, 'gemini');
  return [kind, message];
};

const codexLine = (payload: object) =>
  JSON.stringify({ timestamp: '2026-11-22T18:33:46.425Z', type: 'event_msg', payload });
const plan = (turn_id: string) =>
  codexLine({ type: 'item_completed', turn_id, item: { type: 'Plan', text: '# Move it' } });
const codexFailure = codexLine({
  type: 'task_complete',
  turn_id: 't',
  error: { message: '{"error":{"type":"invalid_request_error","message":"No such model"}}' },
});
const stopAt = (path: string | null): HookRecord =>
  recordOf({ ...stop, ...(path !== null && { transcript_path: path }) }, 'droid');

describe('completeEvents()', () => {
  test('takes the end of a turn for a failure where droid says so to the person, with its reason (E2)', async () => {
    const text = 'BYOK Error: 400 Your credit balance is too low\n\nTroubleshooting tips:\n1. …';
    const failure = line('user', said(text), { id: 'end', visibility: 'user_only' });

    const event = await completed([prompt, failure, hookRan], stop);

    const { kind, failed, message } = event;
    assert.deepEqual(
      { kind, failed, message },
      {
        kind: 'turn.failed',
        failed: true,
        message: 'BYOK Error: 400 Your credit balance is too low',
      },
    );
  });

  test('adds the last words of droid to the end of its turn (E9)', async () => {
    const answer = line('assistant', said('All **12** tests pass.'), { id: 'end' });

    const { kind, message } = await completed([prompt, answer, hookRan], stop);

    assert.deepEqual([kind, message], ['turn.done', 'All **12** tests pass.']);
  });

  test('leaves a turn as it is that was broken off, or that the transcript does not have', async () => {
    const only = { id: 'end', visibility: 'user_only' };
    const cancelled = line('user', said('Request cancelled by user'), only);
    const forModel = line('user', said('status'), { id: 'end', visibility: 'llm_only' });

    for (const transcript of [[cancelled], [forModel], [prompt], ['{"half']]) {
      const { kind, message } = await completed(transcript, stop);
      assert.deepEqual([kind, message], ['turn.done', null], String(transcript));
    }
  });

  test('adds the command that droid asks for, which ran neither before nor without asking (E8)', async () => {
    const calls = line('assistant', [
      ...said('I publish it.'),
      call('1', 'Read', { file_path: '/w/a.txt' }),
      call('2', 'Execute', { command: 'npm publish', riskLevel: 'high' }),
    ]);
    const earlier = line('assistant', [call('0', 'Execute', { command: 'ls' })]);

    const event = await completed([prompt, earlier, ran('0'), calls, hookRan], permission(1));

    assert.deepEqual(event.asked, { action: 'run', text: 'npm publish', options: [] });
    assert.equal(event.tool, 'Execute');
  });

  test('shows how many calls are requested together, and nothing if it is not known which (E8)', async () => {
    const edit = call('1', 'Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' });
    const other = call('4', 'Create', { file_path: '/w/b.ts', content: 'x' });
    const two = [
      call('2', 'Execute', { command: 'npm test' }),
      call('3', 'Execute', { command: 'npm publish' }),
    ];
    const both = await completed([line('assistant', [edit, ...two])], permission(2));
    const unknown = await completed([line('assistant', [edit, other])], permission(1));

    assert.equal(both.asked?.text, 'npm test\n(and 1 more call)');
    assert.equal(unknown.asked, null);
  });

  test('shows the failure of droid in words where the service sent JSON', async () => {
    const json =
      '{"type":"error","error":{"type":"rate_limit_error","message":"Too many requests"}}';
    const failure = line('user', said(`BYOK Error: 429 ${json}`), {
      id: 'end',
      visibility: 'user_only',
    });

    const { message } = await completed([prompt, failure], stop);

    assert.equal(message, 'BYOK Error: 429 Too many requests');
  });

  test('adds the question of droid with its options', async () => {
    const questionnaire =
      '1. [question] Which database?\n[topic] Store\n[option] SQLite\n[option] Other';
    const question = line('assistant', [call('1', 'AskUser', { questionnaire })]);
    const payload = {
      session_id: 's',
      hook_event_name: 'Notification',
      message: 'Factory CLI is asking the user 1 question(s)',
    };

    const open = await completed([prompt, question], payload);
    const answered = await completed([prompt, question, ran('1')], payload);

    assert.deepEqual(open.asked, {
      action: 'answer',
      text: 'Which database?',
      options: ['SQLite', 'Other'],
    });
    assert.equal(answered.asked, null);
  });

  test('adds the last words of Copilot CLI, those of this turn and not of a subagent (E9)', async () => {
    const before = [copilotSays('Before'), copilotPrompt];
    const turn = [copilotSays('Done.'), copilotSays('Subtask', { agentId: 'a' }), copilotSays('')];

    const words = await completed([...before, ...turn], agentStop, 'copilot');
    const none = await completed(before, agentStop, 'copilot');

    assert.deepEqual([words.message, none.message], ['Done.', null]);
  });

  test('reads the transcript of Copilot CLI again, which is written after the hook has begun', async () => {
    const tails = [copilotPrompt, copilotPrompt, `${copilotPrompt}\n${copilotSays('Done.')}`];
    const complete = completeEvents({
      readTail: async () => tails.shift() ?? assert.fail('It was complete before'),
      prepare: (record) => record,
      projects: { look: async () => undefined },
      patienceMs: 60_000,
    });

    const [record] = await complete([
      recordOf({ ...agentStop, transcriptPath: '/h/.copilot/t.jsonl' }, 'copilot'),
    ]);

    assert.equal(record?.event.message, 'Done.');
  });

  test('adds the question of Copilot CLI, and why a run of it failed', async () => {
    const question = copilotLine('tool.execution_start', {
      toolName: 'ask_user',
      arguments: {
        message: 'Which database?',
        requestedSchema: {
          properties: { database: { type: 'string', enum: ['SQLite', 'Other'] } },
        },
      },
    });
    const error = copilotLine('session.error', { message: '400 No such model' });
    const asks = { hook_event_name: 'Notification', notification_type: 'elicitation_dialog' };
    const ends = { hook_event_name: 'sessionEnd', reason: 'error' };

    const asked = await completed(
      [copilotPrompt, question],
      { sessionId: 'c', ...asks },
      'copilot',
    );
    const ended = await completed([copilotPrompt, error], { sessionId: 'c', ...ends }, 'copilot');

    assert.deepEqual(asked.asked?.options, ['SQLite', 'Other']);
    assert.deepEqual([ended.kind, ended.message], ['session.end', '400 No such model']);
  });

  test('tells failed and interrupted turns of Gemini CLI apart, which sends the same for both (E3, E17)', async () => {
    const content = '[API Error: {"error":{"code":400,"message":"No such model"}}]';
    const error = JSON.stringify({ type: 'error', content });
    const help = JSON.stringify({ type: 'info', content: 'This request failed. Press F12 for …' });
    const cancelled = JSON.stringify({ type: 'info', content: 'Request cancelled.' });
    assert.deepEqual(await geminiEnd([geminiPrompt, error, help]), [
      'turn.failed',
      'API Error: No such model',
    ]);
    assert.deepEqual(await geminiEnd([geminiPrompt, cancelled]), ['turn.interrupted', null]);
    for (const earlier of [error, cancelled]) {
      assert.deepEqual(await geminiEnd([geminiPrompt, earlier, geminiPrompt]), [
        'turn.done',
        'It stopped without an answer',
      ]);
    }
  });

  test('takes the end of a turn of Codex for a request where it has proposed a plan', async () => {
    const stopped = { session_id: 'x', hook_event_name: 'Stop', turn_id: 't' };

    const event = await completed([plan('t')], stopped, 'codex');
    const other = await completed([plan('before')], stopped, 'codex');

    assert.deepEqual([event.kind, event.asked?.action], ['needs.permission', 'plan']);
    assert.equal(other.kind, 'turn.done');
  });

  test('takes the end of a session of Codex for a failure where its last turn has failed', async () => {
    const end = { session_id: 'x', hook_event_name: 'SessionEnd', reason: 'other' };
    const interrupted = codexLine({ type: 'turn_aborted', turn_id: 't2' });

    const failed = await completed([codexFailure], end, 'codex');
    const left = await completed([codexFailure, interrupted], end, 'codex');

    assert.deepEqual(
      [failed.kind, failed.failed, failed.message],
      ['session.end', true, 'No such model'],
    );
    assert.equal(left.failed, false);
  });

  test('reads no pipe, and leaves alone what names no transcript or comes from another machine', async () => {
    await using directory = await temporaryDirectory();
    const pipe = join(directory.path, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    const complete = completeEvents({
      readTail: transcriptTails({ files: nearFiles, home: directory.path, uid }),
      prepare: () => assert.fail('Nothing was added'),
      projects: { look: async () => undefined },
      patienceMs: 60_000,
    });
    const far = stopAt(pipe);
    const records = [
      stopAt(pipe),
      stopAt(null),
      stopAt('relative.jsonl'),
      { ...far, event: { ...far.event, machine: 'build-7' } },
    ];

    assert.deepEqual(await complete(records), records);
  });

  test('does not wait for a file system that does not answer', async () => {
    const complete = completeEvents({
      readTail: () => new Promise(() => undefined),
      prepare: (record) => record,
      projects: { look: async () => undefined },
      patienceMs: 1,
    });
    const record = recordOf({ ...stop, transcript_path: '/far/t.jsonl' }, 'droid');

    assert.deepEqual(await complete([record]), [record]);
  });
});

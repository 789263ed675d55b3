import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import type { HookEvent, HookRecord } from '../../src/core/hook-event.ts';
import { completeEvents } from '../../src/daemon/complete-events.ts';
import { nearFiles } from '../../src/daemon/far-files/jobs.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

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
  agent: 'droid' | 'copilot' = 'droid',
): Promise<HookEvent> {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 't.jsonl');
  await writeFile(path, `${transcript.join('\n')}\n`);
  const complete = completeEvents({
    files: nearFiles,
    home: directory.path,
    uid,
    prepare: (record) => record,
    projects: { look: async () => undefined },
    patienceMs: 60_000,
  });
  const [record] = await complete([
    recordOf({ cwd: '/w', transcript_path: path, ...payload }, agent),
  ]);
  assert.ok(record);
  return record.event;
}

function recordOf(payload: object, agent: 'droid' | 'copilot'): HookRecord {
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

const copilotLine = (type: string, content: string) => JSON.stringify({ type, data: { content } });
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

  test('says how many calls are asked for at once, and nothing where it is not known which (E8)', async () => {
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

  test('adds the last words of Copilot CLI, those of this turn only (E9)', async () => {
    const end = { sessionId: 'c', stopReason: 'end_turn', hook_event_name: 'agentStop' };
    const before = [
      copilotLine('assistant.message', 'Before'),
      copilotLine('user.message', 'Again'),
    ];
    const words = await completed(
      [...before, copilotLine('assistant.message', 'Done.'), copilotLine('assistant.message', '')],
      end,
      'copilot',
    );
    const none = await completed(before, end, 'copilot');

    assert.deepEqual([words.message, none.message], ['Done.', null]);
  });

  test('reads no pipe, and leaves alone what names no transcript or comes from another machine', async () => {
    await using directory = await temporaryDirectory();
    const pipe = join(directory.path, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    const complete = completeEvents({
      files: nearFiles,
      home: directory.path,
      uid,
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
      files: { run: () => new Promise(() => undefined) },
      home: '/',
      uid,
      prepare: (record) => record,
      projects: { look: async () => undefined },
      patienceMs: 1,
    });
    const record = recordOf({ ...stop, transcript_path: '/far/t.jsonl' }, 'droid');

    assert.deepEqual(await complete([record]), [record]);
  });
});

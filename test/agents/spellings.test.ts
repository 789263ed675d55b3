import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type Payload, readPayload, Wire } from '../../src/agents/support/payload.ts';
import type { HookFacts } from '../../src/core/facts.ts';

function read(fields: object, facts: HookFacts = {}): Payload {
  return readPayload(Wire.parse(fields), facts);
}

/** A field and the fields of a payload that it is read from, the first that is there. */
const texts: readonly (readonly [keyof Payload, ...string[]])[] = [
  ['event', 'hook_event_name', 'hookEventName', 'type'],
  [
    'sessionId',
    'calling_session_id',
    'session_id',
    'sessionId',
    'conversation_id',
    'thread-id',
    'properties.sessionID',
    'properties.info.sessionID',
  ],
  ['cwd', 'cwd', 'properties.info.directory'],
  ['transcriptPath', 'transcript_path', 'transcriptPath'],
  ['permissionMode', 'permission_mode', 'permissionMode'],
  ['title', 'session_title', 'properties.info.title'],
  ['source', 'source'],
  ['reason', 'reason'],
  ['status', 'status'],
  ['message', 'message'],
  ['notificationType', 'notification_type', 'notificationType'],
  ['server', 'mcp_server_name'],
  ['url', 'url'],
  ['notificationTitle', 'title'],
  ['tool', 'tool_name', 'toolName'],
  ['toolInput', 'tool_input', 'toolInput', 'toolArgs'],
  ['toolUseId', 'tool_use_id', 'toolUseId'],
  ['prompt', 'prompt'],
  [
    'lastWords',
    'last_assistant_message',
    'lastAssistantMessage',
    'last-assistant-message',
    'prompt_response',
    'task_error',
    'task_result',
  ],
  ['errorText', 'error', 'properties.error.data.message'],
  ['errorName', 'error', 'properties.error.name'],
  ['errorText', 'error.message', 'properties.error.data.message'],
  ['errorName', 'error.name', 'properties.error.name'],
  ['errorDetails', 'error_details', 'errorDetails'],
  ['cancelledBy', 'cancelledBy'],
  ['reasonDetails', 'reasonDetails'],
  ['stopReason', 'stopReason'],
  ['agentId', 'agent_id', 'agentId'],
  ['agentType', 'agent_type', 'agentType'],
  ['promptId', 'prompt_id', 'promptId'],
  ['messageId', 'message_id'],
  ['turnId', 'turn_id', 'turn-id'],
  ['generationId', 'generation_id'],
  ['timestamp', 'timestamp'],
  ['requestId', 'properties.requestID', 'properties.id'],
];

/** The fields below the prefix, each with its name as its value. */
function fieldsOf(names: readonly string[], prefix = ''): object {
  const fields: Record<string, unknown> = {};
  for (const name of names) {
    const [field = '', ...below] = name.slice(prefix.length).split('.');
    const inner = `${prefix}${field}.`;
    const others = names.filter((other) => other.startsWith(inner));
    fields[field] = below.length === 0 ? name : fieldsOf(others, inner);
  }
  return fields;
}

describe('readPayload()', () => {
  for (const [field, ...names] of texts) {
    test(`reads ${field} from ${names.join(', ')}`, () => {
      for (const [at, name] of names.entries()) {
        assert.equal(read(fieldsOf([name]))[field], name, `${name} alone`);
        assert.equal(read(fieldsOf(names.slice(at)))[field], name, `${name} before others`);
      }
      const absent = field === 'toolInput' ? undefined : null;
      assert.equal(read({})[field], absent);
    });
  }

  test('reads truth values in both spellings, and takes absent ones for false', () => {
    for (const flag of [true, false]) {
      assert.equal(read({ stop_hook_active: flag, stopHookActive: true }).stopHookActive, flag);
      assert.equal(read({ stopHookActive: flag }).stopHookActive, flag);
      assert.equal(read({ recoverable: flag }).recoverable, flag);
      assert.equal(read({ from_hookbell: flag }).tookAnswer, flag);
    }
    assert.deepEqual([read({}).stopHookActive, read({}).recoverable], [false, false]);
    assert.equal(read({}).tookAnswer, null);
  });

  test('takes the event from the hook where the payload has none', () => {
    assert.equal(read({}, { event: 'Stop' }).event, 'Stop');
    assert.equal(read({ type: 'x' }, { event: 'Stop' }).event, 'x');
  });

  test('reads the directory from the first root of a workspace, if it is a text', () => {
    assert.equal(read({ workspace_roots: ['/a', '/b'] }).cwd, '/a');
    assert.equal(read({ cwd: '/c', workspace_roots: ['/a'] }).cwd, '/c');
    for (const roots of [[], [''], [7], 'x'])
      assert.equal(read({ workspace_roots: roots }).cwd, null);
  });

  test('reads how long a tool ran, zero too', () => {
    assert.equal(read({ duration_ms: 0 }).toolMs, 0);
    assert.equal(read({ duration_ms: 1.5 }).toolMs, 1.5);
    for (const duration of [-1, '5', null])
      assert.equal(read({ duration_ms: duration }).toolMs, null);
  });

  test('joins the parts of a prompt that have a text', () => {
    const parts = [{ type: 'text', text: 'Fix' }, { type: 'image' }, { text: 'the cart' }];

    assert.equal(read({ prompt: parts }).prompt, 'Fix\nthe cart');
    for (const prompt of [[{ type: 'image' }], [], [1], '']) {
      assert.equal(read({ prompt }).prompt, null, JSON.stringify(prompt));
    }
  });

  test('cuts names and texts that are too long', () => {
    const long = 'x'.repeat(70_000);

    assert.equal(read({ session_id: long }).sessionId?.length, 4_096);
    assert.equal(read({ message: long }).message?.length, 65_536);
    assert.equal(read({ prompt: long }).prompt?.length, 65_536);
    assert.equal(read({ prompt: [{ text: long }] }).prompt?.length, 65_536);
  });

  test('takes a field of another type, or an empty one, for absent', () => {
    assert.equal(read({ message: '', session_id: 7, sessionId: 's' }).message, null);
    assert.equal(read({ session_id: '', sessionId: 's' }).sessionId, 's');
    assert.equal(read({ agent_type: '', agentType: 'x' }).agentType, '', 'which means none');
  });
});

describe('readPayload() of a subagent with a separate session', () => {
  test('droid: is in the session that called it', () => {
    const child = { session_id: 'child', calling_session_id: 'parent' };
    assert.deepEqual([read(child).sessionId, read(child).agentId], ['parent', 'child']);
    const same = read({ session_id: 'parent', calling_session_id: 'parent' });
    assert.deepEqual([same.sessionId, same.agentId], ['parent', null]);
    assert.equal(read({ ...child, agent_id: 'a' }).agentId, 'a');
  });

  test('Grok Build: is itself where only its type is named', () => {
    const child = read({ session_id: 'child', subagentType: 'explore' });

    assert.deepEqual([child.sessionId, child.agentId], ['child', 'child']);
    assert.equal(read({ subagentType: 'explore' }).agentId, null);
  });

  test('Copilot CLI: is in the session of its parent only where it sends its id as that of the session', () => {
    const child = { sessionId: 'child', agentId: 'child', parentAgentId: 'parent' };

    assert.equal(read(child).sessionId, 'parent');
    assert.equal(read({ ...child, agentId: 'other' }).sessionId, 'child');
    assert.equal(read({ session_id: 's', parentAgentId: 'parent' }).sessionId, 's');
  });
});

const titled = (title: string) => read({ properties: { info: { title } } }).title;

describe('readPayload() of OpenCode', () => {
  test('takes the id of the info for that of the session only in events about a session', () => {
    const properties = { info: { id: 'x' } };

    assert.equal(read({ type: 'session.created', properties }).sessionId, 'x');
    assert.equal(read({ type: 'message.updated', properties }).sessionId, null);
    assert.equal(read({ properties }).sessionId, null);
  });

  test('takes a title made of the time for none', () => {
    assert.equal(titled('Child session - 2026-11-21T07:35:26.112Z'), null);
    assert.equal(titled('New session - today'), 'New session - today');
    assert.equal(titled('About New session - 2026-11-21'), 'About New session - 2026-11-21');
  });
});

const wakes = (crons: readonly unknown[]) => read({ session_crons: crons }).wakes;

describe('readPayload() of what goes on after a turn', () => {
  test('counts tasks in the background that are not over', () => {
    const has = (tasks: unknown) => read({ background_tasks: tasks }).hasBackgroundTasks;

    for (const over of ['completed', 'failed', 'cancelled'])
      assert.equal(has([{ status: over }]), false);
    assert.equal(has([{ status: 'completed' }, { status: 'running' }]), true);
    assert.equal(has(['task']), true);
    assert.equal(has([]), false);
    assert.equal(read({ backgroundTasks: ['task'] }).hasBackgroundTasks, true);
    assert.equal(read({ background_tasks: [], backgroundTasks: [1] }).hasBackgroundTasks, false);
  });

  test('reads when the session wakes itself, up to fifty times', () => {
    const cron = { schedule: '* * * * *', prompt: ' go ' };

    assert.equal(wakes(Array.from({ length: 50 }, () => cron)).length, 50);
    assert.deepEqual(wakes(Array.from({ length: 51 }, () => cron)), [{ cron: '', prompt: null }]);
    assert.deepEqual(wakes([]), []);
    const [long] = wakes([{ schedule: 'x'.repeat(2_000), prompt: '  ' }]);
    assert.deepEqual([long?.cron.length, long?.prompt], [1_024, null]);
    const [whole, cut] = wakes([cron, { ...cron, prompt: 'a… [+12 chars]' }]);
    assert.match(whole?.prompt ?? '', /^[0-9a-f]{16}$/);
    assert.equal(cut?.prompt, null);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { AgentName } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { readPayloadFixture } from '../support/payload-fixtures.ts';

function duplicateOf(agent: AgentName, fields: object) {
  return decodedEvent({ session_id: 's', ...fields }, { agent }).duplicate;
}

/** Two payloads of one agent, and whether they are the same event sent twice. */
const rows: readonly (readonly [string, AgentName, object, object, boolean])[] = [
  [
    'claude: one Stop',
    'claude',
    stop({ prompt_id: 'p' }),
    stop({ prompt_id: 'p', extra: 1 }),
    true,
  ],
  [
    'claude: the Stop of the next prompt',
    'claude',
    stop({ prompt_id: 'p' }),
    stop({ prompt_id: 'q' }),
    false,
  ],
  [
    'claude: the Stop after a pause for background work',
    'claude',
    stop({ prompt_id: 'p', background_tasks: [1] }),
    stop({ prompt_id: 'p' }),
    false,
  ],
  [
    'claude: the Stop after a stop hook sent the turn on',
    'claude',
    stop({ prompt_id: 'p' }),
    stop({ prompt_id: 'p', stop_hook_active: true }),
    false,
  ],
  [
    'claude: another session',
    'claude',
    stop({ prompt_id: 'p' }),
    stop({ prompt_id: 'p', session_id: 't' }),
    false,
  ],
  [
    'claude: one tool call',
    'claude',
    tool('PostToolUse', 'u'),
    { ...tool('PostToolUse', 'u'), duration_ms: 2 },
    true,
  ],
  [
    'claude: before and after the call',
    'claude',
    tool('PreToolUse', 'u'),
    tool('PostToolUse', 'u'),
    false,
  ],
  [
    'droid: one Stop',
    'droid',
    stop({ message_id: 'm' }),
    stop({ message_id: 'm', elapsed_time: 1 }),
    true,
  ],
  [
    'droid: the Stop of the next message',
    'droid',
    stop({ message_id: 'm' }),
    stop({ message_id: 'n' }),
    false,
  ],
  ['codex: one turn', 'codex', stop({ turn_id: 't' }), stop({ turn_id: 't' }), true],
  [
    'codex: a turn that a stop hook sent on',
    'codex',
    stop({ turn_id: 't' }),
    stop({ turn_id: 't', stop_hook_active: true }),
    false,
  ],
  [
    'codex: two tool calls of one turn',
    'codex',
    { ...tool('PostToolUse', 'a'), turn_id: 't' },
    { ...tool('PostToolUse', 'b'), turn_id: 't' },
    false,
  ],
  [
    "cursor: its own stop and the one of Claude Code's hooks",
    'cursor',
    { hook_event_name: 'stop', generation_id: 'g' },
    stop({ generation_id: 'g', x: 1 }),
    true,
  ],
  [
    'cursor: two tool calls of one generation',
    'cursor',
    { ...tool('postToolUse', 'a'), generation_id: 'g' },
    { ...tool('postToolUse', 'b'), generation_id: 'g' },
    false,
  ],
  ['opencode: a message that is updated later', 'opencode', message('m', 1), message('m', 2), true],
  ['opencode: the next message', 'opencode', message('m', 1), message('n', 1), false],
];

function stop(fields: object): object {
  return { hook_event_name: 'Stop', ...fields };
}

function tool(event: string, id: string): object {
  return { hook_event_name: event, tool_name: 'Bash', tool_use_id: id };
}

function message(id: string, time: number): object {
  return { type: 'message.updated', properties: { info: { id, role: 'user' }, time } };
}

describe('the duplicate key by the ids of the agent, forever (fault 44)', () => {
  for (const [name, agent, one, other, isSame] of rows) {
    test(`${name}: ${isSame ? 'the same' : 'different'}`, () => {
      const first = duplicateOf(agent, one);
      const second = duplicateOf(agent, other);

      assert.equal(first.key === second.key, isSame);
      assert.deepEqual([first.windowMs, second.windowMs], [null, null]);
    });
  }

  test('codex: notify and Stop of one turn are one event', () => {
    const [notify, stopped] = ['codex/notify-1.json', 'codex/Stop-1.json'].map((file) =>
      decodedEvent(readPayloadFixture(file), { agent: 'codex' }),
    );

    assert.deepEqual(notify?.duplicate, stopped?.duplicate);
    assert.equal(notify?.duplicate.windowMs, null);
  });
});

describe('the duplicate key without ids: the same bytes within two seconds (fault 44)', () => {
  const notification = { hook_event_name: 'Notification', message: 'Waiting' };

  test('the same bytes have the same key', () => {
    const first = duplicateOf('gemini', notification);

    assert.equal(first.windowMs, 2_000);
    assert.deepEqual(first, duplicateOf('gemini', notification));
  });

  test('one byte more makes another event', () => {
    const first = duplicateOf('gemini', notification);

    assert.notEqual(first.key, duplicateOf('gemini', { ...notification, message: 'Waiting!' }).key);
  });
});

describe('the duplicate key of Copilot: the same content within two seconds, whatever its time and spelling', () => {
  const own = { sessionId: 's', timestamp: 1_790_000_000_000, cwd: '/w' };
  const other = { session_id: 's', timestamp: '2026-09-21T14:13:20.007Z', cwd: '/w' };
  const pairs: readonly (readonly [string, string, object, object, boolean])[] = [
    [
      'one end of a turn, from the files of the user and of the project',
      'agentStop',
      { ...own, stopReason: 'end_turn' },
      { ...own, timestamp: own.timestamp + 7, stopReason: 'end_turn' },
      true,
    ],
    [
      'one end of a turn, from the settings of Claude Code in the repository',
      'agentStop',
      { ...own, transcriptPath: '/h/.copilot/x.jsonl', stopReason: 'end_turn' },
      {
        ...other,
        hook_event_name: 'Stop',
        transcript_path: '/h/.copilot/x.jsonl',
        stop_reason: 'end_turn',
      },
      true,
    ],
    [
      'the end of a turn that a hook sent on',
      'agentStop',
      own,
      { ...own, stop_hook_active: true },
      false,
    ],
    [
      'two questions',
      'notification',
      { ...own, notification_type: 'permission_prompt', message: 'Run "ls"?' },
      { ...own, notification_type: 'permission_prompt', message: 'Run "rm"?' },
      false,
    ],
    [
      'two calls of one tool',
      'postToolUse',
      { ...own, toolName: 'bash', toolArgs: { command: 'ls' } },
      { ...own, toolName: 'bash', toolArgs: { command: 'pwd' } },
      false,
    ],
    ['two other events', 'preCompact', own, { ...other, hook_event_name: 'SubagentStart' }, false],
  ];
  for (const [name, event, one, second, isSame] of pairs) {
    test(`${name}: ${isSame ? 'the same' : 'different'}`, () => {
      const [first, again] = [one, second].map((payload) => {
        const named = 'session_id' in payload ? {} : { agent: 'copilot', event };
        const decoded = decodedEvent(payload, named);
        assert.equal(decoded.agent, 'copilot');
        return decoded.duplicate;
      });

      assert.equal(first?.key === again?.key, isSame);
      assert.deepEqual([first?.windowMs, again?.windowMs], [2_000, 2_000]);
    });
  }
});

describe('the subject: what a question is about', () => {
  const request = {
    hook_event_name: 'PermissionRequest',
    tool_name: 'Bash',
    tool_input: { command: 'npm publish' },
  };

  test('of a permission request is its tool and input', () => {
    const subject = subjectOf(request);

    assert.match(subject ?? '', /^[0-9a-f]{64}$/);
    assert.equal(subject, subjectOf({ ...request, prompt_id: 'other' }));
    assert.notEqual(subject, subjectOf({ ...request, tool_input: { command: 'ls' } }));
    assert.notEqual(subject, subjectOf({ ...request, tool_name: 'Write' }));
  });

  test('of an opencode request is its permission and patterns', () => {
    assert.equal(openCodeSubject(['git push *']), openCodeSubject(['git push *']));
    assert.notEqual(openCodeSubject(['git push *']), openCodeSubject(['ls']));
  });

  test('of an opencode request is the same under its old and its new name', () => {
    const properties = { action: 'bash', resources: ['git push *'] };
    const { subject } = decodedEvent({ type: 'permission.v2.asked', properties });

    assert.equal(subject, openCodeSubject(['git push *']));
  });

  test('of a waiting notification is its text', () => {
    const waiting = { hook_event_name: 'Notification', message: 'Which colour?' };

    assert.equal(subjectOf(waiting), 'Which colour?');
    assert.equal(subjectOf({ ...waiting, message: null }), null);
  });

  test('of anything else is nothing', () => {
    assert.equal(subjectOf({ hook_event_name: 'Stop', last_assistant_message: 'Done' }), null);
  });
});

function subjectOf(fields: object): string | null {
  return decodedEvent({ session_id: 's', ...fields }, { agent: 'claude' }).subject;
}

function openCodeSubject(patterns: readonly string[]): string | null {
  const properties = { permission: 'bash', patterns };
  return decodedEvent({ type: 'permission.asked', properties }).subject;
}

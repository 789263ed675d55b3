import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { TranscriptAddition, withAddition } from '../../src/agents/complete.ts';
import { type DecodedEvent, decodePayload } from '../../src/agents/decode.ts';
import { changesOf } from '../../src/agents/support/read-asked.ts';
import { answerLine } from '../../src/agents/support/answer-line.ts';
import { type AgentRequest, questionsOf, requestText } from '../../src/agents/support/request.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';

const claude: HookFacts = { agent: 'claude', claude_code_session_id: 's' };
const stop = { hook_event_name: 'Stop', session_id: 's' };

/** Fields that an event has only if there is something to say. */
const optional: readonly (readonly [keyof DecodedEvent, object, HookFacts, unknown])[] = [
  [
    'toolMs',
    { ...stop, hook_event_name: 'PostToolUse', tool_name: 'Bash', duration_ms: 0 },
    claude,
    0,
  ],
  [
    'reportsTask',
    { ...stop, hook_event_name: 'UserPromptSubmit', prompt: '<task-notification>x' },
    claude,
    true,
  ],
  [
    'wokeItself',
    { ...stop, hook_event_name: 'UserPromptSubmit', prompt: 'x', source: 'loop_wakeup' },
    claude,
    true,
  ],
  [
    'isUnknownType',
    { ...stop, hook_event_name: 'Notification', notification_type: 'x' },
    claude,
    true,
  ],
  ['wishes', { hook_event_name: 'HookbellNotify', hookbell: { wait: true } }, {}, { wait: true }],
  ['mayHelp', stop, { agent: 'codex' }, true],
  ['tookAnswer', { ...stop, from_hookbell: false }, { agent: 'opencode' }, false],
  ['failure', { ...stop, hook_event_name: 'StopFailure', error_details: 'why' }, claude, 'why'],
  ['call', { ...stop, agent_id: 'a' }, claude, { agentId: 'a', tool: null, hash: null }],
];

const wrapperOf = (text: string) => {
  const decoded = decodePayload({ payload: Buffer.from(text), facts: {} });
  return decoded.ok ? 'none' : decoded.wrapper;
};

const sourced = (event: string) =>
  decodedEvent({ ...stop, hook_event_name: event, source: 'resume' }, claude).source;

describe('decodePayload()', () => {
  for (const [field, payload, facts, wanted] of optional) {
    test(`says ${field} only where it is known`, () => {
      assert.deepEqual(decodedEvent(payload, facts)[field], wanted);
      assert.ok(!(field in decodedEvent(stop, claude)));
    });
  }

  test('names the member that seems to hold the event', () => {
    assert.equal(wrapperOf('{"a":1,"pay-load":{"hook_event_name":"Stop"}}'), 'pay-load');
    assert.equal(wrapperOf('{"b":{"hookEventName":"Stop"}}'), 'b');
    assert.equal(
      wrapperOf('{"b":{"hook_event_name":7},"c":[{"hookEventName":"Stop"}]}'),
      undefined,
    );
    assert.equal(wrapperOf('{"a b":{"hookEventName":"Stop"}}'), undefined);
    assert.equal(wrapperOf(`{"${'x'.repeat(41)}":{"hookEventName":"Stop"}}`), undefined);
  });

  test('takes a usual name only where the agent has no name for it', () => {
    const event = decodedEvent(
      {
        event_type: 'Stop',
        working_directory: '/w',
        cwd: '/x',
        assistant_message: 'Done',
        agent_id: 'a',
      },
      { agent: 'letta' },
    );

    assert.deepEqual(
      [event.event, event.cwd, event.message, event.subagent],
      ['Stop', '/w', 'Done', false],
    );
  });

  test('keeps the source of a start, and of nothing else', () => {
    assert.deepEqual([sourced('SessionStart'), sourced('UserPromptSubmit')], ['resume', null]);
  });

  test('keeps a short question as its subject, and a hash of a long one', () => {
    const subject = (message: string) =>
      decodedEvent({ ...stop, hook_event_name: 'Notification', message }, claude).subject ?? '';

    assert.equal(subject('x'.repeat(200)), 'x'.repeat(200));
    assert.match(subject('x'.repeat(201)), /^[0-9a-f]{64}$/);
    assert.equal(decodedEvent({ ...stop, last_assistant_message: 'Done' }, claude).subject, null);
  });
});

test('withAddition() adds what is missing, and changes only the end of a turn', () => {
  const asked = { action: 'run', text: 'ls', options: [] } as const;
  const addition = { message: null, tool: 'Bash', asked, failed: false };
  const request = sampleEvent({ agent: 'droid', kind: 'needs.permission', message: 'It asks' });
  const end = sampleEvent({ agent: 'codex', kind: 'turn.done', message: null });

  const added = withAddition(request, { ...addition, kind: 'turn.interrupted', failed: true });
  assert.deepEqual(added, { ...request, tool: 'Bash', asked });
  assert.equal(withAddition({ ...request, tool: 'Edit' }, addition).tool, 'Edit');
  const approved = withAddition(end, { ...addition, kind: 'needs.permission' });
  assert.deepEqual([approved.kind, approved.failed], ['needs.permission', false]);
  assert.equal(withAddition(end, addition).kind, 'turn.done');
  const ended = sampleEvent({ agent: 'codex', kind: 'session.end', message: null });
  assert.equal(withAddition(ended, addition).failed, false);
});

test('TranscriptAddition takes no more than it may change', () => {
  const addition = { message: 'x'.repeat(8_192), tool: 'x'.repeat(256), asked: null, failed: true };

  assert.ok(TranscriptAddition.safeParse(addition).success);
  for (const field of ['message', 'tool'] as const)
    assert.ok(
      !TranscriptAddition.safeParse({ ...addition, [field]: `${addition[field]}x` }).success,
    );
  assert.equal(TranscriptAddition.parse({ ...addition, kind: 'session.end' }).kind, undefined);
});

test('changesOf() finds the file under the name that each agent uses', () => {
  const names = ['file_path', 'filePath', 'notebook_path', 'path'];
  for (const [at, name] of names.entries()) {
    const later = Object.fromEntries(names.slice(at + 1).map((other) => [other, 'other']));

    assert.deepEqual(changesOf('Write', { [name]: '/w/a', ...later }, '/w'), [
      { path: 'a', added: null, removed: null },
    ]);
  }
  assert.equal(changesOf('Write', { path: '/w/' }, '/w')[0]?.path, '/w/');
});

const ran = (fields: object) =>
  decodedEvent({ hook_event_name: 'HookbellCommand', ...fields }).message;

const said = (fields: object) => {
  const event = decodedEvent({ hook_event_name: 'HookbellNotify', ...fields });
  return [event.kind, event.message, event.failed];
};

describe('a program', () => {
  test('says of a command how it ended', () => {
    const tool_input = { command: 'npm test' };
    assert.equal(ran({ tool_input }), 'Done: npm test');
    assert.equal(ran({ tool_input, status: '0', duration_ms: 60_000 }), 'Done: npm test (1 min)');
    assert.equal(ran({ tool_input, status: '2' }), 'Failed: npm test (status 2)');
    assert.equal(ran({ status: 'SIGINT', duration_ms: 1_000 }), 'Failed: a command (SIGINT, 1 s)');
    assert.equal(ran({ tool_input: 'x', last_assistant_message: 'bye' }), 'Done: a command\nbye');
  });

  test('says what a script says, as a notice if it waits', () => {
    assert.deepEqual(said({ title: 'A', message: 'b' }), ['message', 'A\nb', false]);
    assert.deepEqual(said({ notification_type: 'critical', hookbell: { wait: true } }), [
      'notice',
      null,
      true,
    ]);
    assert.deepEqual(said({ title: 'A', hookbell: { wait: false } }), ['message', 'A', false]);
  });
});

const edit = (input: object): AgentRequest => ({
  from: 'hook',
  tool: 'Edit',
  input,
  suggestions: undefined,
});

const lengthOf = (count: number) => requestText(edit({ a: 'x'.repeat(count) }))?.length ?? null;

const asked = (fields: object, tool = 'AskUserQuestion') =>
  questionsOf({ ...edit({ questions: [{ question: 'Which?', ...fields }] }), tool })?.[0];

const lineFor = (words: string) => answerLine(null, { choice: 'deny', words, answers: {} });

describe('a request', () => {
  test('shows an edit as a diff only where both texts are there', () => {
    const whole = requestText(edit({ file_path: 'a', old_string: 'x', new_string: 'y' })) ?? '';
    assert.match(whole, /\| -x\n.*\| \+y/);
    assert.doesNotMatch(whole, /old_string/);
    assert.match(
      requestText(edit({ old_string: 'x', new_string: 7 })) ?? '',
      /old_string: x\n.*new_string: 7/,
    );
    assert.match(requestText(edit({ new_string: 'x' })) ?? '', /^Edit\n {2}new_string: x$/);
    assert.match(
      requestText(edit({ old_string: 'x', new_string: 'y', change: 1 })) ?? '',
      /old_string: x/,
    );
  });

  test('cannot be shown where it is too long', () => {
    const [around] = [lengthOf(0) ?? 0];

    assert.equal(lengthOf(16_384 - around), 16_384);
    assert.equal(lengthOf(16_385 - around), null);
  });

  test('has the descriptions of its options if one is there, and says whether several may be chosen', () => {
    assert.deepEqual(asked({ options: [{ label: 'A', description: 'a' }, { label: 'B' }] }), {
      text: 'Which?',
      options: ['A', 'B'],
      descriptions: ['a', ''],
      several: false,
    });
    assert.deepEqual(asked({ options: [{ label: 'A', description: '' }, 'B'] }), {
      text: 'Which?',
      options: ['A', 'B'],
      several: false,
    });
    assert.equal(asked({ multiSelect: true })?.several, true);
    assert.equal(asked({ multiple: true })?.several, true);
    assert.equal(asked({}, 'Bash'), undefined);
  });

  test('is not answered with more than a pipe holds', () => {
    const around = (lineFor('x') ?? '').length - 1;

    assert.equal(lineFor('x'.repeat(60_000 - around))?.length, 60_000);
    assert.equal(lineFor('x'.repeat(60_001 - around)), null);
  });
});

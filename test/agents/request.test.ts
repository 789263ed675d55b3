import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { AgentName } from '../../src/core/hook-event.ts';
import { traitsOf } from '../../src/agents/registry.ts';
import { decodePayload } from '../../src/agents/decode.ts';
import { answerLine } from '../../src/agents/support/answer-line.ts';
import {
  type AgentRequest,
  choicesFor,
  readRequest,
  requestText,
} from '../../src/agents/support/request.ts';
import type { OfferedAnswer } from '../../src/core/question.ts';

const FIFO = '0f8fad5b-d9cb-469f-a165-70867728950e';

function payloadOf(fields: object): Buffer {
  return Buffer.from(
    JSON.stringify({ hook_event_name: 'PermissionRequest', session_id: 's', ...fields }),
  );
}

function hashOf(payload: Uint8Array): string {
  const decoded = decodePayload({ payload, facts: { agent: 'claude', ask: `${FIFO}:12:34` } });
  assert.ok(decoded.ok);
  assert.ok(decoded.event.waits);
  return decoded.event.waits.requestHash;
}

function lineOf(request: AgentRequest | null, given: Partial<OfferedAnswer>): unknown {
  const line = answerLine(request, { choice: 'deny', words: null, answers: {}, ...given });
  assert.ok(line === null || !line.includes('\n'));
  return line === null ? null : JSON.parse(line);
}

function decision(fields: object): unknown {
  return { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: fields } };
}

const bash: AgentRequest = {
  from: 'hook',
  tool: 'Bash',
  input: { command: 'npm test', description: 'Run the tests' },
  suggestions: undefined,
};

function codexCall(event: string, tool_input: object): string | null | undefined {
  const payload = payloadOf({ hook_event_name: event, tool_name: 'Bash', tool_input });
  const decoded = decodePayload({ payload, facts: { agent: 'codex' } });
  assert.ok(decoded.ok);
  return decoded.event.call?.hash;
}

test('a call is the same in its request and in its result, which Codex CLI repeats without the description', () => {
  const asked = codexCall('PermissionRequest', { command: 'touch x', description: 'May I?' });

  assert.notEqual(asked, undefined);
  assert.equal(codexCall('PostToolUse', { command: 'touch x' }), asked);
  assert.notEqual(codexCall('PostToolUse', { command: 'touch y' }), asked);
});

function choicesOf(agent: AgentName, request: AgentRequest | null) {
  return choicesFor(request, traitsOf(agent).answers);
}

describe('the waiting hook of an event', () => {
  test('is read from its fact, which is not stored', () => {
    const decoded = decodePayload({
      payload: payloadOf({ tool_name: 'Bash' }),
      facts: { agent: 'claude', ask: `${FIFO}:12:34`, pid: '5' },
    });

    assert.ok(decoded.ok);
    const { fifo, pid, start } = decoded.event.waits ?? {};
    assert.deepEqual({ fifo, pid, start }, { fifo: FIFO, pid: 12, start: '34' });
    assert.equal(decoded.event.facts.ask, undefined);
    assert.equal(decoded.event.facts.pid, '5');
  });

  for (const ask of ['../../x:1:2', `${FIFO}/..:1:2`, `${FIFO}:x:2`, `${FIFO}:1`, FIFO, '']) {
    test(`is none for "${ask}"`, () => {
      const decoded = decodePayload({ payload: payloadOf({}), facts: { agent: 'claude', ask } });

      assert.ok(decoded.ok);
      assert.equal(decoded.event.waits, undefined);
    });
  }
});

describe('readRequest()', () => {
  const payload = payloadOf({
    tool_name: 'Bash',
    tool_input: { command: 'ls', a: { c: 1, b: 2 } },
  });

  test('returns the request that the hook received, whatever the order of its keys', () => {
    const other = payloadOf({
      tool_input: { a: { b: 2, c: 1 }, command: 'ls' },
      tool_name: 'Bash',
    });

    assert.equal(hashOf(payload), hashOf(other));
    assert.deepEqual(readRequest(other, hashOf(payload))?.tool, 'Bash');
  });

  test('returns nothing once a single character was redacted, cut or changed', () => {
    const hash = hashOf(payload);
    for (const fields of [
      { tool_name: 'Bash', tool_input: { command: 'ls ', a: { c: 1, b: 2 } } },
      { tool_name: 'Read', tool_input: { command: 'ls', a: { c: 1, b: 2 } } },
      { tool_name: 'Bash', tool_input: { command: '[redacted:x]', a: { c: 1, b: 2 } } },
      { tool_name: 'Bash', tool_input: { command: 'ls', a: { c: 1 } } },
      {
        tool_name: 'Bash',
        tool_input: { command: 'ls', a: { c: 1, b: 2 } },
        permission_suggestions: [{}],
      },
    ]) {
      assert.equal(readRequest(payloadOf(fields), hash), null);
    }
    assert.equal(readRequest(Buffer.from('{"tool_name"'), hash), null);
    assert.equal(readRequest(Buffer.from('[]'), hash), null);
  });
});

describe('requestText()', () => {
  test('shows every field, also the one that matters', () => {
    const input = { command: 'rm x', dangerouslyDisableSandbox: true };

    assert.equal(
      requestText({ from: 'hook', tool: 'Bash', input, suggestions: undefined }),
      'Bash\n  command: rm x\n  dangerouslyDisableSandbox: true',
    );
  });

  test('lets no value look like a field', () => {
    const input = { command: 'curl x | sh\n  description: Lists files' };

    assert.equal(
      requestText({ from: 'hook', tool: 'Bash', input, suggestions: undefined }),
      'Bash\n  command: curl x | sh\n    |   description: Lists files',
    );
  });

  const unshown: Readonly<Record<string, string>> = {
    'an escape code': 'echo \u001b[2J',
    'a carriage return': 'rm -rf /\recho harmless',
    'a change of direction': 'echo \u202E',
    'an invisible character': 'rm\u200B x',
    'a C1 control': 'echo \u009b1A',
    'invisible tags': 'echo \u{E0041}',
    'a lone surrogate': 'echo \uD800',
    'a NUL': 'echo \u0000',
    '20 KB': 'x'.repeat(20_000),
    '200 KB': 'x'.repeat(200_000),
  };
  for (const [name, command] of Object.entries(unshown)) {
    test(`offers no Allow for a command with ${name}`, () => {
      const request = {
        from: 'hook',
        tool: 'Bash',
        input: { command },
        suggestions: undefined,
      } as const;

      assert.equal(requestText(request), null);
      assert.deepEqual(choicesOf('claude', request), ['deny']);
    });
  }
});

describe('answerLine()', () => {
  test('sends the shapes that the agents take, and no other field', () => {
    assert.deepEqual(lineOf(bash, { choice: 'allow' }), decision({ behavior: 'allow' }));
    assert.deepEqual(
      lineOf(bash, { words: 'Use "staging"\nplease' }),
      decision({ behavior: 'deny', message: 'Use "staging"\nplease' }),
    );
    assert.deepEqual(
      lineOf(null, {}),
      decision({ behavior: 'deny', message: 'The user denied this request.' }),
    );
  });

  test('allows nothing that was not shown', () => {
    for (const choice of ['allow', 'allow-session', 'answer'] as const) {
      assert.equal(lineOf(null, { choice, answers: { a: 'b' } }), null);
    }
  });

  test('echoes all suggestions, for the session only', () => {
    const suggestions = [
      { type: 'addDirectories', directories: ['/x'], destination: 'localSettings' },
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
    ];

    assert.deepEqual(choicesOf('claude', { ...bash, suggestions }), [
      'allow',
      'allow-session',
      'deny',
    ]);
    assert.deepEqual(choicesOf('codex', { ...bash, suggestions }), ['allow', 'deny']);
    assert.deepEqual(
      lineOf({ ...bash, suggestions }, { choice: 'allow-session' }),
      decision({
        behavior: 'allow',
        updatedPermissions: [
          { type: 'addDirectories', directories: ['/x'], destination: 'session' },
          { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
        ],
      }),
    );
    assert.match(requestText({ ...bash, suggestions }) ?? '', /for the session: \[.*acceptEdits/);
  });

  test('approves a plan that was shown, and none that was not written', () => {
    const plan = {
      from: 'hook' as const,
      tool: 'ExitPlanMode',
      input: { plan: '# Do it', planFilePath: '/p' },
      suggestions: null,
    };

    assert.deepEqual(choicesOf('claude', plan), ['allow', 'deny']);
    assert.deepEqual(
      lineOf(plan, { choice: 'allow' }),
      decision({ behavior: 'allow', updatedInput: { plan: '# Do it' } }),
    );
    assert.deepEqual(choicesOf('claude', { ...plan, input: {} }), ['deny']);
    assert.equal(lineOf({ ...plan, input: {} }, { choice: 'allow' }), null);
  });

  test('answers questions by their texts, with the questions as received', () => {
    const questions = [
      {
        question: 'Which database?',
        header: 'DB',
        options: [{ label: 'SQLite' }],
        multiSelect: false,
      },
      {
        question: 'Which tests?',
        options: [{ label: 'Unit' }, { label: 'E2E' }],
        multiSelect: true,
      },
    ];
    const request: AgentRequest = {
      from: 'hook',
      tool: 'AskUserQuestion',
      input: { questions },
      suggestions: null,
    };
    const answers = { 'Which database?': 'SQLite', 'Which tests?': 'Unit, E2E' };

    assert.deepEqual(choicesOf('claude', request), ['deny', 'answer']);
    assert.deepEqual(
      lineOf(request, { choice: 'answer', answers }),
      decision({ behavior: 'allow', updatedInput: { questions, answers } }),
    );
    assert.equal(lineOf(request, { choice: 'allow' }), null);
    assert.equal(lineOf(request, { choice: 'answer', answers: {} }), null);
    assert.equal(lineOf(request, { choice: 'answer', answers: { 'Another?': 'x' } }), null);
    assert.equal(lineOf(bash, { choice: 'answer', answers }), null);
  });
});

function readPlugin(event: object): AgentRequest {
  const payload = Buffer.from(JSON.stringify(event));
  const decoded = decodePayload({ payload, facts: { agent: 'opencode', ask: `${FIFO}:12:34` } });
  assert.ok(decoded.ok);
  assert.ok(decoded.event.waits);
  const request = readRequest(payload, decoded.event.waits.requestHash);
  assert.ok(request);
  return request;
}

describe('a request of OpenCode', () => {
  const permission = {
    type: 'permission.asked',
    properties: {
      id: 'per_1',
      sessionID: 's',
      permission: 'bash',
      patterns: ['touch x'],
      metadata: { command: 'touch x' },
      always: ['touch *'],
    },
  };
  const questions = [
    { question: 'Which database?', options: [{ label: 'SQLite' }] },
    { question: 'Which tests?', options: [{ label: 'Unit' }, { label: 'E2E' }], multiple: true },
    { question: 'Which name?', options: [] },
  ];
  const question = {
    type: 'question.asked',
    properties: { id: 'que_1', sessionID: 's', questions },
  };

  test('is shown whole, and offers what OpenCode offers', () => {
    const request = readPlugin(permission);

    assert.equal(
      requestText(request),
      'bash\n  command: touch x\n  patterns: [\n    |  "touch x"\n    | ]\n  for the session: ["touch *"]',
    );
    assert.deepEqual(choicesOf('opencode', request), ['allow', 'allow-session', 'deny']);
    const bare = readPlugin({
      ...permission,
      properties: { ...permission.properties, always: [] },
    });
    assert.deepEqual(choicesOf('opencode', bare), ['allow', 'deny']);
    assert.equal(lineOf(bare, { choice: 'allow-session' }), null);
  });

  test('is answered in the shapes of its endpoints; a rejection has a message, so that the turn goes on', () => {
    const request = readPlugin(permission);

    assert.deepEqual(lineOf(request, { choice: 'allow' }), { reply: 'once' });
    assert.deepEqual(lineOf(request, { choice: 'allow-session' }), { reply: 'always' });
    assert.deepEqual(lineOf(request, { words: 'Use staging' }), {
      reply: 'reject',
      message: 'Use staging',
    });
    assert.deepEqual(lineOf(request, {}), {
      reply: 'reject',
      message: 'The user denied this request.',
    });
    assert.equal(lineOf(request, { choice: 'answer', answers: { x: 'y' } }), null);
  });

  test('gets one list of answers for each question, and words for a rejected question are refused', () => {
    const request = readPlugin(question);
    const answers = {
      'Which database?': 'SQLite',
      'Which tests?': 'Unit, E2E',
      'Which name?': 'a, b',
    };

    assert.deepEqual(choicesOf('opencode', request), ['deny', 'answer']);
    assert.deepEqual(lineOf(request, { choice: 'answer', answers }), {
      answers: [['SQLite'], ['Unit', 'E2E'], ['a, b']],
    });
    assert.deepEqual(lineOf(request, { choice: 'answer', answers: { 'Which name?': 'x' } }), {
      answers: [[], [], ['x']],
    });
    assert.equal(lineOf(request, { choice: 'answer', answers: { 'Another?': 'x' } }), null);
    assert.equal(lineOf(request, { choice: 'allow' }), null);
    assert.deepEqual(lineOf(request, {}), { reject: true });
    assert.equal(lineOf(request, { words: 'Ask later' }), null);
  });
});

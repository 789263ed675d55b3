import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { askedOf } from '../../src/agents/support/read-asked.ts';
import { askedMarkdown, askedText, wholeRequest } from '../../src/core/asked.ts';
import { decodedEvent } from '../support/decoded.ts';

const CWD = '/home/dev/shop';

/** Tool, its input, and what a place with room shows, in plain text and in Markdown. */
const whole: readonly (readonly [string, unknown, string, string | null])[] = [
  ['Bash', { command: 'ls' }, 'Run: ls', null],
  [
    'Bash',
    { command: 'a\n\nb\n```\nc\nd' },
    'Run: a\n\nb\n```\nc\nd',
    'Run:\n````\na\n\nb\n```\nc\nd\n````',
  ],
  [
    'Edit',
    { file_path: `${CWD}/src/cart.ts`, old_string: 'a\n b\nc', new_string: 'a\n x\n y\nc' },
    'Edit: src/cart.ts +2 −1\n a\n- b\n+ x\n+ y\n c',
    'Edit: src/cart\\.ts \\+2 −1\n```\n a\n- b\n+ x\n+ y\n c\n```',
  ],
  [
    'Write',
    { file_path: `${CWD}/b.ts`, content: 'x\ny\n' },
    'Write: b.ts (2 lines)\n+x\n+y',
    'Write: b\\.ts \\(2 lines\\)\n```\n+x\n+y\n```',
  ],
  [
    'apply_patch',
    {
      input: `*** Begin Patch\n*** Update File: ${CWD}/a.ts\n@@\n-old\n+new\n*** End Patch`,
    },
    'Edit: a.ts +1 −1\n-old\n+new',
    'Edit: a\\.ts \\+1 −1\n```\n-old\n+new\n```',
  ],
  [
    'AskUserQuestion',
    {
      questions: [
        {
          question: 'Which database?',
          options: [{ label: 'Postgres', description: 'A server' }, { label: 'SQLite' }],
        },
      ],
    },
    'Which database?\n1 Postgres: A server\n2 SQLite',
    'Which database?\n\n1. **Postgres**: A server\n2. **SQLite**',
  ],
  ['ExitPlanMode', { plan: '# Plan\n1. **Do**' }, 'Plan: Plan\n1. Do', '# Plan\n1. **Do**'],
];

describe('a whole request', () => {
  for (const [tool, input, text, markdown] of whole) {
    test(`${tool} ${JSON.stringify(input)?.slice(0, 60)} whole`, () => {
      const asked = askedOf(tool, input, CWD);
      assert.ok(asked !== null);

      assert.equal(wholeRequest(asked), text);
      assert.equal(askedMarkdown(asked), markdown);
    });
  }

  test('keeps the first lines of a long edit, and counts the others', () => {
    const content = Array.from({ length: 2_000 }, (_, index) => `line ${index}`).join('\n');

    const { diff = '' } = askedOf('Write', { file_path: 'a', content }, CWD) ?? {};

    assert.ok(diff.length <= 4_096, String(diff.length));
    const lines = diff.split('\n');
    const [, left] = /^… (\d+) more lines …$/.exec(lines.at(-1) ?? '') ?? [];
    assert.equal(lines.length - 1 + Number(left), 2_000);
  });

  test('Claude Code: the form of an MCP server, with its fields and what they offer', () => {
    const { kind, message, asked } = decodedEvent(
      {
        hook_event_name: 'Elicitation',
        session_id: 's1',
        mcp_server_name: 'tickets',
        message: 'Where to file it?',
        mode: 'form',
        requested_schema: {
          type: 'object',
          properties: {
            queue: { type: 'string', title: 'Queue', enum: ['web', 'api'] },
            urgent: { type: 'boolean', description: 'Wake someone' },
            note: 7,
          },
          required: ['queue'],
        },
      },
      { agent: 'claude' },
    );
    const link = decodedEvent(
      {
        hook_event_name: 'Elicitation',
        mcp_server_name: 'my-mcp-server',
        message: 'Please authenticate',
        mode: 'url',
        url: 'https://auth.example.com/login',
      },
      { agent: 'claude' },
    );

    assert.deepEqual([kind, message], ['needs.input', 'Where to file it?']);
    assert.equal(
      asked === null ? null : askedText(asked),
      'tickets: Where to file it?\nQueue\n1 web · 2 api\nurgent (optional): Wake someone\n1 yes · 2 no\nnote (optional)',
    );
    assert.equal(
      link.asked?.text,
      'my-mcp-server: Please authenticate\nhttps://auth.example.com/login',
    );
    assert.equal(link.asked?.questions, undefined);
  });

  test('Claude Code: a subagent by its name, in a request and at its end', () => {
    const inside = { session_id: 's1', agent_id: 'a1', agent_type: 'code-reviewer' };
    const request = decodedEvent(
      {
        ...inside,
        hook_event_name: 'PermissionRequest',
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
      },
      { agent: 'claude' },
    );
    const end = decodedEvent({ ...inside, hook_event_name: 'SubagentStop' }, { agent: 'claude' });

    assert.equal(request.asked?.by, 'code-reviewer');
    assert.deepEqual([end.kind, end.tool], ['subagent.done', 'code-reviewer']);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { askedOf, changesOf } from '../../src/agents/support/read-asked.ts';
import { askedText } from '../../src/core/asked.ts';
import { decodedEvent } from '../support/decoded.ts';

const CWD = '/home/dev/shop';

/** Tool, its input, and what a person reads. */
const rows: readonly (readonly [string, unknown, string])[] = [
  [
    'Bash',
    { command: 'npm publish --tag latest', description: 'Publish' },
    'Run: npm publish --tag latest',
  ],
  ['Execute', { command: 'npm run build', riskLevel: 'medium' }, 'Run: npm run build'],
  ['run_shell_command', { command: 'ls' }, 'Run: ls'],
  ['shell', { command: ['bash', '-lc', 'git push --force'] }, 'Run: git push --force'],
  ['shell', { command: ['git', 'status'] }, 'Run: git status'],
  ['powershell', '{"command":"dir"}', 'Run: dir'],
  ['Bash', { command: 'a\nb\nc\nd\ne' }, 'Run: a\n… 3 more lines …\ne'],
  [
    'Edit',
    { file_path: `${CWD}/src/cart.ts`, old_string: 'a\nb\nc', new_string: 'a\nx\ny\nz\nc' },
    'Edit: src/cart.ts +3 −1',
  ],
  [
    'MultiEdit',
    {
      file_path: 'src/cart.ts',
      edits: [
        { old_string: 'a', new_string: 'b' },
        { old_string: '', new_string: 'c\nd' },
      ],
    },
    'Edit: src/cart.ts +3 −1',
  ],
  [
    'apply_patch',
    {
      input:
        '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-old\n+new\n+newer\n*** Add File: b.ts\n+x\n*** End Patch',
    },
    'Edit: src/a.ts and 1 more file +3 −1',
  ],
  ['Write', { file_path: '/etc/hosts', content: 'a\nb\n' }, 'Write: /etc/hosts (2 lines)'],
  ['Read', { file_path: 'C:\\x\\y.ts' }, 'Read: C:\\x\\y.ts'],
  ['WebFetch', { url: 'https://example.com/a', prompt: 'Sum up' }, 'Fetch: https://example.com/a'],
  ['WebFetch', { prompt: 'Sum up https://example.com/a' }, 'Fetch: Sum up https://example.com/a'],
  ['WebFetch', { timeout: 5 }, 'Use: WebFetch'],
  ['WebSearch', { query: 'node 20 eol' }, 'Search for: node 20 eol'],
  ['WebSearch', { text: 'node 20 eol' }, 'Use: WebSearch (text: node 20 eol)'],
  ['Write', { file_path: `${CWD}/empty.txt`, content: '' }, 'Write: empty.txt (0 lines)'],
  ['Write', { file_path: `${CWD}/cart.ts` }, 'Write: cart.ts'],
  ['Edit', { file_path: 'cart.ts', new_string: 'a\nb' }, 'Edit: cart.ts +2 −0'],
  ['Edit', { file_path: 'cart.ts', old_string: 'a\nb', new_string: '' }, 'Edit: cart.ts +0 −2'],
  ['Edit', { file_path: 'cart.ts', old_str: 'a\nb' }, 'Edit: cart.ts +0 −2'],
  ['Edit', { file_path: 'cart.ts' }, 'Edit: cart.ts'],
  [
    'mcp__github__create_issue',
    { owner: 'acme', title: 'Fix the cart' },
    'Use: github: create_issue (title: Fix the cart)',
  ],
  ['mcp__db__drop', {}, 'Use: db: drop'],
  ['FancyTool', { count: 3 }, 'Use: FancyTool'],
  ['Bash', { nothing: 'known' }, 'Use: Bash (nothing: known)'],
  ['Bash', null, 'Use: Bash'],
  ['ExitPlanMode', { plan: '# Plan\n1. Add a test' }, 'Plan: Plan\n1. Add a test'],
  ['ExitPlanMode', {}, 'Plan: ready for approval'],
  [
    'AskUserQuestion',
    {
      questions: [
        { question: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] },
      ],
    },
    'Which database?\n1 Postgres · 2 SQLite',
  ],
  [
    'AskUserQuestion',
    {
      questions: [
        { question: 'Which database?', options: [{ label: 'Postgres' }, { label: 'SQLite' }] },
        { question: 'Which currency?', options: [{ label: 'EUR' }] },
      ],
    },
    'Which database?\n1 Postgres · 2 SQLite\nWhich currency?\n1 EUR',
  ],
  [
    'SandboxNetworkAccess',
    { host: 'registry.npmjs.org' },
    'Use: network access to registry.npmjs.org',
  ],
];

describe('askedOf() says what a person is to decide (B1)', () => {
  for (const [tool, input, wanted] of rows) {
    test(`${tool} ${JSON.stringify(input)?.slice(0, 60)}`, () => {
      const asked = askedOf(tool, input, CWD);

      assert.equal(asked === null ? null : askedText(asked), wanted);
    });
  }

  for (const [cwd, path, wanted] of [
    ['/home/dev/', '/home/dev/a.ts', 'Read: a.ts'],
    ['C:\\dev\\shop', 'C:\\dev\\shop\\src\\a.ts', 'Read: src\\a.ts'],
    ['C:\\', 'C:\\a.ts', 'Read: a.ts'],
    ['/home/dev', '/home/developer/a.ts', 'Read: /home/developer/a.ts'],
    ['/', '/etc/hosts', 'Read: /etc/hosts'],
    [null, '/home/dev/a.ts', 'Read: /home/dev/a.ts'],
  ] as const) {
    test(`shows "${path}" in the folder "${cwd}" as "${wanted}"`, () => {
      const asked = askedOf('Read', { file_path: path }, cwd);

      assert.equal(asked === null ? null : askedText(asked), wanted);
    });
  }

  test('takes a tool that is called as what every object has for one like any other', () => {
    for (const tool of ['__proto__', 'constructor', 'toString']) {
      assert.equal(askedOf(tool, {}, CWD)?.action, 'use');
    }
  });

  test('takes any JSON for an input', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.jsonValue(),
        fc.constantFrom('Bash', 'Edit', 'AskUserQuestion'),
        (name, input, known) => {
          for (const tool of [name, known]) {
            const asked = askedOf(tool, input, CWD);

            assert.ok(asked !== null && asked.text.length <= 4_096);
            assert.ok(askedText(asked).split('\n').length <= 4);
          }
        },
      ),
    );
  });
});

describe('the events of agents carry the request', () => {
  test('Gemini CLI: the details of a ToolPermission', () => {
    const event = decodedEvent(
      {
        hook_event_name: 'Notification',
        notification_type: 'ToolPermission',
        message: 'Tool Confirm Shell Command requires execution',
        details: { type: 'exec', title: 'x', command: 'npm test', rootCommand: 'npm' },
      },
      { agent: 'gemini' },
    );

    assert.deepEqual(event.asked, { action: 'run', text: 'npm test', options: [] });
  });

  test('OpenCode: the command in the metadata, and the options of a question', () => {
    const permission = decodedEvent({
      type: 'permission.asked',
      properties: {
        permission: 'bash',
        patterns: ['git push *'],
        metadata: { command: 'git push' },
      },
    });
    const question = decodedEvent({
      type: 'question.asked',
      properties: {
        questions: [
          { question: 'Which?', options: [{ label: 'A', description: 'a' }, { label: 'B' }] },
        ],
      },
    });

    assert.deepEqual(permission.asked, { action: 'run', text: 'git push', options: [] });
    assert.deepEqual(question.asked, {
      action: 'answer',
      text: 'Which?',
      options: ['A', 'B'],
      questions: [
        {
          text: 'Which?',
          options: [
            { label: 'A', description: 'a' },
            { label: 'B', description: null },
          ],
        },
      ],
    });
    assert.deepEqual([question.kind, question.message], ['needs.input', 'Which?']);
  });

  for (const [details, asked] of [
    [
      { type: 'edit', filePath: `${CWD}/a.ts`, originalContent: '', newContent: 'a\nb\n' },
      'Write: a.ts (2 lines)',
    ],
    [{ type: 'edit', filePath: `${CWD}/a.ts` }, 'Write: a.ts (0 lines)'],
    [
      { type: 'edit', filePath: `${CWD}/a.ts`, originalContent: 'a\nb', newContent: 'a\nc\nd' },
      'Edit: a.ts +2 −1',
    ],
    [{ type: 'edit', filePath: `${CWD}/a.ts`, originalContent: 'a\nb' }, 'Edit: a.ts +0 −2'],
    [{ type: 'mcp', serverName: 'github', toolName: 'create_issue' }, 'Use: github: create_issue'],
    [
      { type: 'info', prompt: 'Sum up', urls: ['https://example.com/a'] },
      'Fetch: https://example.com/a',
    ],
    [{ type: 'info', prompt: 'Sum up the news', urls: null }, 'Fetch: Sum up the news'],
    [{ type: 'exit_plan_mode' }, 'Plan: ready for approval'],
    [{ type: 'sandbox_expansion' }, null],
  ] as const) {
    test(`Gemini CLI: the details ${JSON.stringify(details).slice(0, 110)} ask for ${asked}`, () => {
      const event = decodedEvent(
        {
          hook_event_name: 'Notification',
          notification_type: 'ToolPermission',
          message: 'Tool Confirmation requires execution',
          cwd: CWD,
          details,
        },
        { agent: 'gemini' },
      );

      assert.equal(event.kind, 'needs.permission');
      assert.equal(event.asked === null ? null : askedText(event.asked), asked);
    });
  }

  test('Gemini CLI: a question that comes as a permission for its tool is a question', () => {
    const event = decodedEvent(
      {
        hook_event_name: 'Notification',
        notification_type: 'ToolPermission',
        message: 'Tool Confirmation requires execution',
        details: { type: 'ask_user' },
      },
      { agent: 'gemini' },
    );

    assert.deepEqual([event.kind, event.asked], ['needs.input', null]);
  });

  test('Qwen Code: a question is not a permission (E6)', () => {
    const event = decodedEvent(
      {
        hook_event_name: 'PermissionRequest',
        tool_name: 'ask_user_question',
        tool_input: { questions: [{ question: 'Which?', options: ['A', 'B'] }] },
      },
      { agent: 'qwen' },
    );

    assert.deepEqual(
      [event.kind, event.message, event.asked?.options],
      ['needs.input', 'Which?', ['A', 'B']],
    );
  });
});

describe('changesOf()', () => {
  const patch = [
    '*** Begin Patch',
    '*** Update File: src/cart.ts',
    '-a',
    '+b',
    '+c',
    '*** Add File: src/till.ts',
    '+d',
    '*** End Patch',
  ].join('\n');
  const calls: readonly (readonly [
    string,
    unknown,
    readonly (readonly (string | number | null)[])[],
  ])[] = [
    ['Edit', { file_path: `${CWD}/a.ts`, old_string: 'a', new_string: 'b\nc' }, [['a.ts', 2, 1]]],
    ['Edit', { file_path: 'a.ts', old_str: 'a', new_str: 'b' }, [['a.ts', 1, 1]]],
    ['Edit', { file_path: 'a.ts', old_str: 'a\nb\nb\nc', new_str: 'x\nb\nc' }, [['a.ts', 1, 2]]],
    ['Edit', { file_path: 'a.ts', old_str: 'a\nb\nc\nd', new_str: 'a\nd' }, [['a.ts', 0, 2]]],
    ['Write', { file_path: 'a.ts', content: 'x' }, [['a.ts', null, null]]],
    [
      'ApplyPatch',
      { input: patch },
      [
        ['src/cart.ts', 2, 1],
        ['src/till.ts', 1, 0],
      ],
    ],
    ['Bash', { command: 'sed -i s/a/b/ a.ts' }, []],
    ['Read', { file_path: 'a.ts' }, []],
    ['Edit', 'no JSON', []],
    ['Edit', '[1]', []],
    ['Edit', { file_path: 'a.ts' }, [['a.ts', null, null]]],
    ['Write', { content: 'x' }, []],
  ];
  for (const [tool, input, changed] of calls) {
    test(`says what ${tool} of ${JSON.stringify(input).slice(0, 60)} changed`, () => {
      const found = changesOf(tool, input, CWD);

      assert.deepEqual(
        found.map(({ path, added, removed }) => [path, added, removed]),
        changed,
      );
    });
  }

  test('counts no call that failed, and nothing that is only asked for', () => {
    const call = {
      session_id: 's',
      tool_name: 'Edit',
      tool_input: { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' },
    };
    const events = ['PostToolUse', 'PostToolUseFailure', 'PermissionRequest'].map((name) =>
      decodedEvent({ ...call, hook_event_name: name, error: 'no such file' }, { agent: 'claude' }),
    );

    assert.deepEqual(
      events.map(({ changes }) => changes?.length ?? 0),
      [1, 0, 0],
    );
  });
});

// The invented payloads of docs/gallery.md.

const cwd = '/home/ada/shop';
const claude = {
  session_id: '5f1c02aa-7d1e-4b0f-9a43-2f6f1f0f5a10',
  cwd,
  permission_mode: 'default',
};
const droid = {
  session_id: '3f6c2a9e-51b4-4c3e-8a07-9d2e6b1f4c80',
  cwd,
  transcript_path: '/t.jsonl',
};
const title = { session_title: 'Fix the cart' };

const sent = (hook_event_name, fields) => [{ ...claude, ...title, hook_event_name, ...fields }];
const notify = (fields) => sent('Notification', fields);
const ask = (tool_name, tool_input) => sent('PermissionRequest', { tool_name, tool_input });

const said = [
  '## The cart adds up again',
  '',
  '- `total()` rounds **once**, at the end',
  '- all 42 tests pass, see [the run](https://ci.example.com/shop/1184)',
].join('\n');

/** Of the source that watches the budget. */
export const notice = `The budget of the organization is 80 % used
8,100 of 10,000 standard credits (81 %) from 2026-04-01 to 2026-04-17 (UTC)
At this pace usage reaches the limit on 2026-04-21: 14,294 standard credits by 2026-04-30`;

/** Each of one session: what its agent sent before, and last the event that is shown. Seconds since the first one stand in `after`. */
export const scenes = [
  [
    'A permission: a command',
    'claude',
    ask('Bash', { command: 'npm publish --tag latest && git push --follow-tags' }),
  ],
  [
    'A permission: an edit',
    'claude',
    ask('Edit', {
      file_path: `${cwd}/src/cart.ts`,
      old_string: 'const a = 1;\nconst b = 2;',
      new_string: 'const a = 1;\nconst b = 3;\nconst c = 4;',
    }),
  ],
  [
    'A permission: a script',
    'claude',
    ask('Bash', {
      command: 'set -e\nnpm ci\nnpm test\nnpm version patch\nnpm publish\ngit push --follow-tags',
    }),
  ],
  [
    'A permission: a connection from the sandbox',
    'claude',
    ask('SandboxNetworkAccess', { host: 'registry.npmjs.org' }),
  ],
  [
    'A permission: a subagent asks',
    'claude',
    ask('Bash', { command: 'npm audit fix' }).map((payload) => ({
      ...payload,
      agent_id: 'a1',
      agent_type: 'code-reviewer',
    })),
  ],
  [
    'A permission: a teammate asks',
    'claude',
    notify({
      notification_type: 'worker_permission_prompt',
      message: 'reviewer needs network access to registry.npmjs.org',
    }),
  ],
  [
    'A permission: an address',
    'claude',
    ask('WebFetch', { url: 'https://docs.example.com/rounding', prompt: 'How does it round?' }),
  ],
  [
    'A permission: a tool of an MCP server',
    'claude',
    ask('mcp__github__create_issue', { title: 'Cart rounds twice', body: '…' }),
  ],
  [
    'A permission whose event does not say what it is for',
    'droid',
    [
      {
        ...droid,
        hook_event_name: 'Notification',
        notification_type: 'permission_prompt',
        message: 'Factory CLI needs permission to execute 1 tool(s)',
      },
    ],
    [
      {
        type: 'message',
        id: 'm',
        message: {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: 'c',
              name: 'Execute',
              input: { command: 'terraform apply -auto-approve' },
            },
          ],
        },
      },
    ],
  ],
  [
    'A plan',
    'claude',
    ask('ExitPlanMode', {
      plan: '# Round once\n\n1. Keep **cents** as integers\n2. Round in `total()`\n3. Add a test for each currency\n4. Remove `roundLine()`',
    }),
  ],
  [
    'A question',
    'claude',
    ask('AskUserQuestion', {
      questions: [
        {
          question: 'Which database should the till use?',
          options: [
            { label: 'Postgres', description: 'A server, shared by all tills' },
            { label: 'SQLite', description: 'A file on each till' },
          ],
        },
      ],
    }),
  ],
  [
    'Two questions',
    'claude',
    ask('AskUserQuestion', {
      questions: [
        {
          question: 'Which currency comes first?',
          options: [{ label: 'EUR' }, { label: 'USD' }],
        },
        {
          question: 'Round each line, or the total?',
          options: [{ label: 'Each line' }, { label: 'The total' }],
        },
      ],
    }),
  ],
  [
    'A form of an MCP server',
    'claude',
    sent('Elicitation', {
      mcp_server_name: 'tickets',
      mode: 'form',
      message: 'Where should the ticket go?',
      requested_schema: {
        type: 'object',
        properties: {
          queue: { type: 'string', title: 'Queue', enum: ['web', 'till'] },
          note: { type: 'string', title: 'Note', description: 'Shown to the team' },
        },
        required: ['queue'],
      },
    }),
  ],
  [
    'A finished subagent',
    'claude',
    sent('SubagentStop', {
      agent_id: 'a1',
      agent_type: 'code-reviewer',
      last_assistant_message: 'Two problems: the receipt rounds twice, and `till.ts` has no test.',
    }),
  ],
  [
    'A finished turn',
    'claude',
    [
      {
        ...claude,
        ...title,
        hook_event_name: 'UserPromptSubmit',
        prompt: 'Make the cart add up',
        source: 'user',
      },
      {
        ...claude,
        after: 60,
        hook_event_name: 'PostToolUse',
        tool_name: 'Edit',
        tool_use_id: '1',
        tool_input: {
          file_path: `${cwd}/src/cart.ts`,
          old_string: 'a\nb\nc',
          new_string: 'a\nx\ny\nz',
        },
      },
      {
        ...claude,
        after: 90,
        hook_event_name: 'PostToolUse',
        tool_name: 'Write',
        tool_use_id: '2',
        tool_input: { file_path: `${cwd}/test/cart.test.ts`, content: 'x' },
      },
      {
        ...claude,
        after: 252,
        hook_event_name: 'Stop',
        prompt_id: 'p',
        last_assistant_message: said,
      },
    ],
  ],
  [
    'A failed turn',
    'claude',
    sent('StopFailure', {
      error: 'rate_limit',
      last_assistant_message: 'API Error: Rate limit reached',
      error_details: '429 {"error":{"message":"Your limit resets at 14:00"}}',
    }),
  ],
  [
    'A usage limit',
    'claude',
    sent('StopFailure', {
      error: 'rate_limit',
      last_assistant_message: "You've hit your session limit · resets 3:45pm (Europe/Berlin)",
    }),
  ],
  [
    'A session that ended with a failure',
    'codex',
    [
      {
        session_id: '7a1de0c4-3b52-4d0e-9f55-0c1b7a92e6d3',
        cwd,
        session_title: 'Fix the cart',
        hook_event_name: 'SessionEnd',
        reason: 'error',
      },
    ],
  ],
  [
    'A reminder',
    'claude',
    notify({
      notification_type: 'idle_prompt',
      message: 'Claude is waiting for your input',
    }),
  ],
  [
    'A background session needs an answer',
    'claude',
    notify({
      notification_type: 'agent_needs_input',
      message: 'Release notes · Which version is this for?',
    }),
  ],
  [
    'A notification of an unknown type',
    'claude',
    notify({
      notification_type: 'checkpoint_review',
      message: 'A checkpoint is ready for your review',
    }),
  ],
  [
    'A message that the agent sends by itself',
    'claude',
    notify({
      notification_type: 'push_notification',
      message: 'The nightly build is green again. I go on with the receipts.',
    }),
  ],
  [
    'A message of a plugin',
    'claude',
    notify({
      notification_type: 'plugin_notification',
      title: 'deployer',
      message: 'Staging is up: https://staging.example.com',
    }),
  ],
];

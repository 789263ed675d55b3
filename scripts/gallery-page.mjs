// What a person sees of each kind of event on each channel, for docs/gallery.md: payloads go the way they go in the daemon (decoded,
// completed, decided upon, rendered) and through what each channel makes of them. Nothing is sent.
import { PassThrough } from 'node:stream';
import { completeEvent } from '../dist/src/agents/complete.js';
import { decodePayload } from '../dist/src/agents/decode.js';
import { createSimulation } from '../dist/src/alerts/simulate.js';
import { desktopOptions } from '../dist/src/channels/desktop/options.js';
import { popUpOf } from '../dist/src/channels/desktop/pop-up.js';
import { notifyBody } from '../dist/src/channels/desktop/notify-message.js';
import { contentOf, plainText } from '../dist/src/channels/email/content.js';
import { renderMessage } from '../dist/src/channels/slack/message.js';
import { notificationDocument } from '../dist/src/channels/support/notification-document.js';
import { terminalText } from '../dist/src/channels/support/terminal-sequence.js';
import { printSessions } from '../dist/src/cli/commands/sessions.js';
import { createOutput } from '../dist/src/cli/output.js';
import { redactText } from '../dist/src/core/redact.js';
import { sessionView } from '../dist/src/daemon/views.js';
import { createRenderer } from '../dist/src/delivery/render.js';
import { digestText } from '../dist/src/reports/digest-text.js';
import { sampleDigest } from '../dist/test/support/sample-digest.js';

const START = Date.UTC(2026, 3, 17, 9, 30);
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

const ask = (tool_name, tool_input) => [
  { ...claude, ...title, hook_event_name: 'PermissionRequest', tool_name, tool_input },
];

const said = [
  '## The cart adds up again',
  '',
  '- `total()` rounds **once**, at the end',
  '- all 42 tests pass, see [the run](https://ci.example.com/shop/1184)',
].join('\n');

/** Each of one session: what its agent sent before, and last the event that is shown. Seconds since the first one stand in `after`. */
const scenes = [
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
          options: [{ label: 'Postgres' }, { label: 'SQLite' }],
        },
      ],
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
    [
      {
        ...claude,
        ...title,
        hook_event_name: 'StopFailure',
        error: 'rate_limit',
        error_details: '429 {"error":{"message":"This request would exceed your rate limit"}}',
      },
    ],
  ],
  [
    'A reminder',
    'claude',
    [
      {
        ...claude,
        ...title,
        hook_event_name: 'Notification',
        notification_type: 'idle_prompt',
        message: 'Claude is waiting for your input',
      },
    ],
  ],
];

/** @returns the generated part of the page */
export async function galleryPart() {
  const zone = process.env.TZ;
  process.env.TZ = 'UTC';
  try {
    const shown = scenes.map(([name, agent, payloads, transcript]) => ({
      name,
      ...played(agent, payloads, transcript),
    }));
    const sections = [
      ...shown.map(({ name, notification, session }) => section(name, notification, session)),
      section('Several at once', summaryOf(shown.slice(0, 3))),
      section('A digest', digestOf(await sampleDigest())),
    ];
    return sections.join('\n\n');
  } finally {
    if (zone === undefined) delete process.env.TZ;
    else process.env.TZ = zone;
  }
}

const renderer = createRenderer({ origin: { user: 'ada', host: 'devbox' } });
const policy = {
  plans: {},
  routes: [],
  machineChannels: [],
  quietHours: null,
  noise: { burst: { atOnce: 1, windowMs: 0 }, perSessionAnHour: 1, perChannelAnHour: 1, flapMs: 0 },
  expireAfterMs: 1,
  whenWatching: 'ring',
  holdStop: null,
  relay: null,
};

function played(agent, payloads, transcript = []) {
  const simulation = createSimulation({ policy });
  let event = null;
  for (const { after = 0, ...payload } of payloads) {
    const at = START + after * 1_000;
    const bytes = Buffer.from(JSON.stringify(payload));
    const decoded = decodePayload({ payload: bytes, facts: { agent } });
    const received = { ...decoded.event, id: `e${after}`, at, receivedAt: at };
    const tail = transcript.map((line) => JSON.stringify(line)).join('\n');
    const whole = tail === '' ? received : completeEvent({ event: received, payload: bytes }, tail);
    event = simulation.feed(whole).event ?? whole;
  }
  const session = simulation.session(event.sessionKey);
  return {
    event,
    session,
    notification: renderer.notification({ delivery, event, session, also: [] }),
  };
}

const delivery = {
  id: '01978a5e-0000-7000-8000-000000000001',
  channel: 'team',
  quietly: false,
  stillRunning: false,
  possibleDuplicate: false,
};

function summaryOf(shown) {
  const [first, ...others] = shown.map(({ event }, index) => ({
    ...event,
    id: `e${index}`,
    at: START + index,
    sessionKey: `claude:s${index}`,
  }));
  return renderer.notification({ delivery, event: first, session: null, also: others });
}

function digestOf(digest) {
  const [headline, ...details] = digestText(digest).split('\n');
  const at = START;
  const event = {
    id: 'digest',
    at,
    receivedAt: at,
    machine: null,
    agent: 'service',
    event: 'digest.weekly',
    kind: 'digest',
    sessionKey: 'service:digest',
    sessionId: null,
    cwd: null,
    project: null,
    message: [headline, details.join('\n').trim()].join('\n'),
    tool: null,
    asked: null,
    reason: null,
    failed: false,
    title: null,
    subagent: false,
    facts: {},
    source: null,
  };
  return renderer.notification({ delivery, event, session: null, also: [] });
}

function section(name, notification, session = null) {
  const parts = [
    `## ${name}`,
    ...named('Pop-up', popUp(notification)),
    ...named('Terminal', terminal(notification)),
    ...named('Slack', slack(notification)),
    ...named('Mail, its text part', mail(notification)),
    ...(session === null ? [] : named('`hookbell sessions`', sessions(session, notification.at))),
    '<details><summary>The document that webhooks and commands get</summary>',
    block(JSON.stringify(notificationDocument(notification), null, 2), 'json'),
    '</details>',
  ];
  return parts.join('\n\n');
}

function named(name, text) {
  return [`${name}:`, block(text, 'text')];
}

function block(text, language) {
  return `\`\`\`\`${language}\n${text.trimEnd()}\n\`\`\`\``;
}

function popUp(notification) {
  const shown = popUpOf(notification, desktopOptions.parse({}));
  const body = notifyBody({
    popUp: shown,
    replaces: 0,
    capabilities: ['actions'],
    opensPages: false,
  });
  return `${shown.title}\n${shown.body}\n\n[${body[5][1]}]  urgency ${shown.urgency}, frame ${shown.colour}`;
}

function terminal({ title: headline, body }) {
  const text = terminalText('osc777', { title: headline, body, key: 'k', bell: 'never' }, 'direct');
  // oxlint-disable-next-line no-control-regex -- it is an escape sequence
  return text
    .replace(/^\u001b\]777;notify;/, '')
    .replace(/\u0007$/, '')
    .replace(';', '\n');
}

function slack(notification) {
  const { blocks, attachments } = renderMessage(notification, null);
  const texts = blocks.map(({ text }) => text.text);
  const [
    {
      color,
      blocks: [{ elements }],
    },
  ] = attachments;
  return [...texts, `${color} | ${elements.map(({ text }) => text).join('  ')}`]
    .join('\n\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function mail(notification) {
  const content = contentOf(notification);
  return `Subject: ${content.title}\n\n${plainText(content)}`;
}

function sessions(session, at) {
  const stdout = new PassThrough();
  const output = createOutput({ stdout, stderr: stdout, quiet: false, verbose: false });
  printSessions(output, [sessionView(session, undefined, redactText)], at + 40_000);
  return String(stdout.read());
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookFacts } from '../../src/core/facts.ts';
import type { Row, Sent } from '../support/played.ts';
import { played } from '../support/played.ts';

const LONG = { prompt: 'go on' };
const bash = { tool_name: 'Bash', tool_input: { command: 'npm test' } };
const idlePrompt = { notification_type: 'idle_prompt', message: 'Waiting for your input' };
const helper = { session_id: undefined, 'thread-id': 'helper', 'turn-id': 't1' };
const headless: HookFacts = { claude_code_session_attended: '0' };

const rows: readonly Row[] = [
  {
    name: 'E1: Codex: the thread that makes a title does not notify',
    agent: 'codex',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [2, 'agent-turn-complete', { ...helper, 'last-assistant-message': '{"title":"Fix tests"}' }],
    ],
    rings: [],
  },
  {
    name: 'E1: nor does it if the session it works for is unknown',
    agent: 'codex',
    sent: [[2, 'agent-turn-complete', { ...helper, 'last-assistant-message': '{"title":"Fix"}' }]],
    rings: [],
  },
  {
    name: 'E1, E16: Codex: the thread of a subagent does not notify, and the turn around it does',
    agent: 'codex',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [20, 'agent-turn-complete', { ...helper, 'last-assistant-message': 'Found it' }],
      [40, 'Stop', { turn_id: 't' }],
    ],
    rings: [40],
  },
  {
    name: 'E1: Codex: with `notify` alone every thread is one of a person',
    agent: 'codex',
    sent: [
      [0, 'agent-turn-complete', { ...helper, 'thread-id': 'a' }],
      [300, 'agent-turn-complete', { ...helper, 'thread-id': 'b' }],
    ],
    rings: [0, 300],
  },
  {
    name: 'E4: Copilot: a request that fails again and again, headless, notifies once, when the run has failed',
    agent: 'copilot',
    sent: [
      [0, 'userPromptSubmitted', LONG],
      ...errorsAt(1, 5, 12),
      [12.01, 'sessionEnd', { reason: 'error' }],
    ],
    rings: [12],
  },
  {
    name: 'E4: Copilot: a turn that ends right after a failed request has failed',
    agent: 'copilot',
    sent: [
      [0, 'userPromptSubmitted', LONG],
      ...errorsAt(1, 5),
      [5.05, 'agentStop', { stopReason: 'end_turn' }],
      [5.1, 'sessionEnd', { reason: 'error' }],
    ],
    rings: [5],
  },
  {
    name: 'E20: Copilot: a request that succeeds when it is tried again has not failed',
    agent: 'copilot',
    sent: [
      [0, 'userPromptSubmitted', LONG],
      ...errorsAt(1),
      [4, 'agentStop', { stopReason: 'end_turn' }],
    ],
    rings: [],
  },
  {
    name: 'E4: a failed turn and the failed end of its session notify once',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [5, 'StopFailure', { error: 'rate_limit' }],
      [6, 'SessionEnd', { reason: 'error' }],
    ],
    rings: [5],
    open: 1,
  },
  {
    name: 'E5: OpenCode: a failed turn is not done as well',
    agent: 'opencode',
    sent: [
      [0, 'message.updated', openCode({ info: { id: 'm1', role: 'user' } })],
      [30, 'session.error', openCode({ error: { name: 'APIError', data: { message: 'no' } } })],
      [30.1, 'session.idle', openCode({})],
    ],
    rings: [30],
    open: 1,
  },
  {
    name: 'E17: OpenCode: a turn broken off with Esc is not done',
    agent: 'opencode',
    sent: [
      [0, 'message.updated', openCode({ info: { id: 'm1', role: 'user' } })],
      [30, 'session.error', openCode({ error: { name: 'MessageAbortedError' } })],
      [30.1, 'session.idle', openCode({})],
    ],
    rings: [],
  },
  {
    name: 'E6, E22: Qwen: the reminder after each turn, reported or short, and after "/clear" does not notify',
    agent: 'qwen',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [5, 'Stop', {}],
      [5.5, 'Notification', idlePrompt],
      [10, 'UserPromptSubmit', LONG],
      [50, 'Stop', {}],
      [50.5, 'Notification', idlePrompt],
      [60, 'SessionStart', { source: 'clear' }],
      [61, 'Notification', idlePrompt],
    ],
    rings: [50],
  },
  {
    name: 'E20: Claude: the reminder a minute after a short turn does not notify',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [5, 'Stop'],
      [65, 'Notification', idlePrompt],
    ],
    rings: [],
  },
  {
    name: 'E20: Claude: a permission that a headless run refuses by itself does not notify',
    agent: 'claude',
    sent: [[0, 'PermissionRequest', bash, headless]],
    rings: [],
  },
  {
    name: 'E7: droid exec: a turn whose prompt was not seen is no longer than its session',
    agent: 'droid',
    sent: [
      [0, 'SessionStart', { source: 'startup' }],
      [1, 'Stop', { message_id: 'm' }],
    ],
    rings: [],
  },
  {
    name: 'E7: and after a minute without events it counts as long',
    agent: 'droid',
    sent: [
      [0, 'SessionStart', { source: 'startup' }],
      [61, 'Stop', { message_id: 'm' }],
    ],
    rings: [61],
  },
  ...(['claude', 'codex', 'droid'] as const).map((agent): Row => ({
    name: `E11: ${agent}: the end of a headless run leaves "done" open`,
    agent,
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [60, 'Stop', { turn_id: 't', message_id: 'm' }],
      [60.05, 'SessionEnd', { reason: 'other' }],
    ],
    rings: [60],
    open: 1,
  })),
  {
    name: 'E11: the end of a headless run leaves "failed" open',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [6, 'StopFailure', { error: 'overloaded' }],
      [6.1, 'SessionEnd', { reason: 'other' }],
    ],
    rings: [6],
    open: 1,
  },
  {
    name: 'E11: who leaves at the prompt has seen what was done',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [60, 'Stop'],
      [70, 'SessionEnd', { reason: 'prompt_input_exit' }],
    ],
    rings: [60],
    open: 0,
  },
  {
    name: 'E11: the end of a session makes its question pointless',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', bash],
      [9, 'SessionEnd', { reason: 'other' }],
    ],
    rings: [0],
    open: 0,
  },
  ...(
    [
      ['claude', { prompt: '<task-notification>\n<task-id>b1</task-id>' }],
      ['codex', { prompt: 'Look into it', agent_id: 'thread-2' }],
      ['droid', { prompt: 'The task is complete', message_id: 'task-completion:7' }],
    ] as const
  ).map(([agent, fields]): Row => ({
    name: `E12: ${agent}: a prompt that was not typed does not begin the turn anew`,
    agent,
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [25, 'UserPromptSubmit', fields],
      [26, 'Stop', { turn_id: 't' }],
    ],
    rings: [26],
  })),
  {
    name: 'E12: a turn that begins by itself is timed, and leaves what was not seen yet open',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [30, 'Stop'],
      [90, 'UserPromptSubmit', { prompt: '<task-notification>done</task-notification>' }],
    ],
    rings: [30],
    open: 1,
  },
  {
    name: 'E13: droid: a subagent that is a separate session ends silently, and does not end the turn',
    agent: 'droid',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [1, 'SessionStart', { session_id: 'child', calling_session_id: 's' }],
      [1, 'UserPromptSubmit', { ...LONG, session_id: 'child', calling_session_id: 's' }],
      // droid 0.215 names the other session only when one starts.
      [2, 'UserPromptSubmit', { session_id: 'task', prompt: '# Task Tool Invocation\n\nDo it' }],
      [39, 'Stop', { session_id: 'task', message_id: 't' }],
      [40, 'Stop', { session_id: 'child', calling_session_id: 's', message_id: 'c' }],
      [40, 'SessionEnd', { session_id: 'child', calling_session_id: 's', reason: 'other' }],
      [45, 'Stop', { message_id: 'm' }],
    ],
    rings: [45],
  },
  ...(['claude', 'qwen'] as const).map((agent): Row => ({
    name: `E14: ${agent}: a permission that was given ends its alert, though the tool fails`,
    agent,
    sent: [
      [0, 'PermissionRequest', bash],
      [5, 'PostToolUseFailure', { ...bash, error: 'Exit code 1' }],
    ],
    rings: [0],
    open: 0,
  })),
  {
    name: "E14: Claude: a subagent's own tool ends its question",
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', { ...bash, agent_id: 'a' }],
      [5, 'PostToolUse', { ...bash, agent_id: 'a' }],
    ],
    rings: [0],
    open: 0,
  },
  {
    name: 'E14: Claude: another tool of a subagent ends no question',
    agent: 'claude',
    sent: [
      [0, 'PermissionRequest', { ...bash, agent_id: 'a' }],
      [5, 'PostToolUse', { tool_name: 'Read', tool_input: {}, agent_id: 'b' }],
    ],
    rings: [0],
    open: 1,
  },
  {
    name: 'E15: Qwen: at its prompt with a permission open, the permission was refused',
    agent: 'qwen',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [30, 'PermissionRequest', bash],
      [40, 'Notification', idlePrompt],
    ],
    rings: [30],
    open: 0,
  },
  {
    name: 'E16: Codex: `request_user_input` waits for an answer, which its tool ends',
    agent: 'codex',
    sent: [
      [0, 'PreToolUse', { tool_name: 'request_user_input', tool_input: { questions: [] } }],
      [9, 'PostToolUse', { tool_name: 'request_user_input' }],
    ],
    rings: [0],
    open: 0,
  },
  ...(['droid', 'qwen'] as const).map((agent): Row => ({
    name: `E17: ${agent}: a turn broken off with Esc does not notify`,
    agent,
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [30, 'Notification', idlePrompt],
    ],
    rings: [],
  })),
  {
    name: 'E17: droid: a turn that ends after its session was left does not notify',
    agent: 'droid',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [30, 'SessionEnd', { reason: 'prompt_input_exit' }],
      [30.2, 'Stop', { message_id: 'm' }],
    ],
    rings: [],
  },
  {
    name: 'E17: droid: a plain answer in specification mode is not a permission',
    agent: 'droid',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [5, 'Stop', { message_id: 'm', permission_mode: 'spec' }],
    ],
    rings: [],
  },
  {
    name: 'E19: the time a person took to answer does not count as work: a short turn does not notify after its answer',
    agent: 'codex',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [5, 'PermissionRequest', bash],
      [200, 'PostToolUse', bash],
      [200.8, 'Stop', { turn_id: 't' }],
    ],
    rings: [5],
  },
  {
    name: 'E19: what the agent did before and after the answers counts together',
    agent: 'codex',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [12, 'PermissionRequest', bash],
      [100, 'PostToolUse', bash],
      [112, 'Stop', { turn_id: 't' }],
    ],
    rings: [12, 112],
  },
  {
    name: 'E19: a tool that ran for long after its permission is work, where its time is known',
    agent: 'claude',
    sent: [
      [0, 'UserPromptSubmit', LONG],
      [1, 'PermissionRequest', bash],
      [100, 'PostToolUse', { ...bash, duration_ms: 97_000 }],
      [101, 'Stop'],
    ],
    rings: [1, 101],
  },
];

function errorsAt(...seconds: readonly number[]): readonly Sent[] {
  const fields = { error: { message: 'boom' }, recoverable: true };
  return seconds.map((at) => [at, 'errorOccurred', fields]);
}

function openCode(properties: object): object {
  return { properties: { sessionID: 's', ...properties } };
}

describe('events of real agents notify once, if a person has to know (findings of the first review)', () => {
  for (const { name, rings, open, ...row } of rows) {
    test(name, async () => {
      await using line = await played(row);
      const { sent, simulation } = line;

      const popUps = sent().filter((one) => one.startsWith('desktop@'));
      assert.deepEqual(
        popUps.map((one) => Math.floor(Number(one.slice('desktop@'.length)))),
        rings,
      );
      if (open !== undefined) assert.equal((await simulation.liveAlerts()).length, open);
    });
  }

  test('E1: the title from an internal thread of Codex is that of the session', async () => {
    const title = { ...helper, 'last-assistant-message': '{"title":"Fix the tests"}' };
    await using line = await played({
      agent: 'codex',
      sent: [
        [0, 'UserPromptSubmit', LONG],
        [2, 'agent-turn-complete', title],
      ],
    });
    const { simulation } = line;

    assert.equal((await simulation.session('codex:s'))?.title, 'Fix the tests');
    assert.equal(await simulation.session('codex:helper'), null);
  });
});

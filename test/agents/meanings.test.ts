import { describe, test } from 'node:test';

import type { DecodedEvent } from '../../src/agents/decode.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { promptMark } from '../../src/core/hook-event.ts';
import type { MeaningRow } from '../support/decoded.ts';
import { assertMeaning } from '../support/decoded.ts';

/** Only Claude Code has its transcripts there. */
const ofClaude = { transcript_path: '/home/dev/.claude/projects/x.jsonl' };
const claude: HookFacts = { agent: 'claude' };
const droid: HookFacts = { agent: 'droid' };

function event(name: string, fields: object = {}): object {
  return { session_id: 's', cwd: '/home/dev/shop', hook_event_name: name, ...fields };
}

const rows: readonly MeaningRow[] = [
  // Permission and questions
  {
    name: 'PermissionRequest of AskUserQuestion waits for an answer and shows the question',
    payload: event('PermissionRequest', {
      tool_name: 'AskUserQuestion',
      tool_input: { questions: [{ question: 'Which colour?' }, { question: 'And size?' }] },
    }),
    facts: claude,
    wanted: { kind: 'needs.input', message: 'Which colour?', tool: 'AskUserQuestion' },
  },
  {
    name: 'PermissionRequest of AskUserQuestion with an odd input still waits',
    payload: event('PermissionRequest', { tool_name: 'AskUserQuestion', tool_input: 'what' }),
    facts: claude,
    wanted: { kind: 'needs.input', message: null },
  },
  {
    name: 'ElicitationResult is activity',
    payload: event('ElicitationResult', { message: 'done' }),
    facts: claude,
    wanted: { kind: 'activity', message: null },
  },
  // Prompts
  {
    name: 'a prompt without text is activity: Qwen repeats it after each tool result',
    payload: event('UserPromptSubmit', { prompt: '' }),
    facts: { agent: 'qwen' },
    wanted: { kind: 'activity', message: null },
  },
  ...['user', 'sdk', 'brand_new'].map((source) => prompted(source, 'prompt')),
  ...['system', 'loop_wakeup', 'schedule_wakeup', 'poll_event'].map((source) =>
    prompted(source, 'activity'),
  ),
  // The end of a turn
  {
    name: 'Stop inside a subagent ends the subagent only',
    payload: event('Stop', { agent_id: 'a1', last_assistant_message: 'x' }),
    facts: claude,
    wanted: { kind: 'subagent.done', subagent: true, message: 'x' },
  },
  {
    name: 'StopFailure keeps of the details what says when it goes on',
    payload: event('StopFailure', {
      error: 'rate_limit',
      last_assistant_message: 'API Error: Rate limit reached',
      error_details: '429 {"error":{"message":"Limit reached, resets at 14:00"}}',
    }),
    facts: claude,
    wanted: {
      kind: 'turn.failed',
      message: 'API Error: Rate limit reached\n429 Limit reached, resets at 14:00',
      reason: 'rate_limit',
    },
  },
  {
    name: 'StopFailure inside a subagent ends the subagent only',
    payload: event('StopFailure', { agent_id: 'a1', error: 'rate_limit' }),
    facts: claude,
    wanted: { kind: 'subagent.done', subagent: true, failed: false },
  },
  {
    name: 'agent_type alone does not mean a subagent: a session started with --agent has it',
    payload: event('Stop', { agent_type: 'reviewer' }),
    facts: claude,
    wanted: { kind: 'turn.done', subagent: false },
  },
  {
    name: 'Stop with work in the background pauses the turn',
    payload: event('Stop', { background_tasks: [{}] }),
    facts: claude,
    wanted: { kind: 'activity', backgroundWork: true },
  },
  {
    // Qwen Code 0.24.4 keeps tasks in the list when they are over.
    name: 'Stop with background work that is over is done',
    payload: event('Stop', {
      background_tasks: ['completed', 'failed', 'cancelled'].map((status) => ({ status })),
    }),
    facts: { agent: 'qwen' },
    wanted: { kind: 'turn.done', backgroundWork: false },
  },
  {
    name: 'a prompt by which droid reports a background task goes on with the turn (E12)',
    payload: event('UserPromptSubmit', { prompt: 'Completed', message_id: 'task-completion:7' }),
    facts: { agent: 'droid' },
    wanted: { kind: 'activity', reportsTask: true },
  },
  {
    name: 'Stop with empty lists of background work and of wake-ups is done',
    payload: event('Stop', { background_tasks: [], session_crons: [] }),
    facts: claude,
    wanted: { kind: 'turn.done', backgroundWork: false },
  },
  {
    name: 'Stop of a session that wakes itself pauses it, whatever its list holds',
    payload: event('Stop', {
      session_crons: [
        { id: 'c', schedule: '0 9 * * 1-5', prompt: 'go' },
        7,
        { prompt: 'a… [+9 chars]' },
      ],
    }),
    facts: claude,
    wanted: {
      kind: 'activity',
      backgroundWork: false,
      wakes: [
        { cron: '0 9 * * 1-5', prompt: promptMark('go') },
        { cron: '', prompt: null },
        { cron: '', prompt: null },
      ],
    },
  },
  ...['loop_wakeup', 'schedule_wakeup'].map((source) => ({
    name: `a prompt of ${source} is the session's own`,
    payload: event('UserPromptSubmit', { prompt: 'check the build', source }),
    facts: claude,
    wanted: { kind: 'activity', wokeItself: true } as const,
  })),
  {
    name: 'StopFailure names the failure and takes its text from where there is one',
    payload: event('StopFailure', { error: 'overloaded', error_details: '529 Overloaded' }),
    facts: claude,
    wanted: {
      kind: 'turn.failed',
      failed: true,
      reason: 'overloaded',
      message: '529 Overloaded',
    },
  },
  {
    name: 'StopFailure with nothing but its word shows the word',
    payload: event('StopFailure', { error: 'server_error' }),
    facts: claude,
    wanted: { kind: 'turn.failed', message: 'server_error' },
  },
  {
    name: 'droid: Stop in spec mode ends a turn as in any other (E17)',
    payload: event('Stop', { permission_mode: 'spec' }),
    facts: droid,
    wanted: { kind: 'turn.done', permissionMode: 'spec' },
  },
  // Subagents
  {
    name: 'SubagentStop with an empty type is activity: compaction fires it without a subagent',
    payload: event('SubagentStop', { agent_id: 'a', agent_type: '' }),
    facts: claude,
    wanted: { kind: 'activity' },
  },
  {
    name: 'SubagentStop shows the error of the task before its result',
    payload: event('SubagentStop', { task_result: 'half', task_error: 'out of memory' }),
    facts: droid,
    wanted: { kind: 'subagent.done', message: 'out of memory' },
  },
  {
    name: 'a tool call inside a subagent keeps its kind and is marked',
    payload: event('PostToolUse', { agent_id: 'a', tool_name: 'Bash' }),
    facts: claude,
    wanted: { kind: 'tool.done', subagent: true, tool: 'Bash' },
  },
  {
    name: 'E13: a subagent of droid that is a separate session belongs to the session that called it',
    payload: event('Stop', { session_id: 'child', calling_session_id: 'parent' }),
    facts: droid,
    wanted: { kind: 'subagent.done', subagent: true, sessionId: 'parent' },
  },
  {
    name: 'E22: a subagent of Copilot CLI has no separate session, so none is left working',
    payload: { sessionId: 'child', timestamp: 1, agentId: 'child', parentAgentId: 'parent' },
    facts: { agent: 'copilot', event: 'agentStop' },
    wanted: { kind: 'subagent.done', subagent: true, sessionId: 'parent' },
  },
  {
    name: 'E22: what Copilot CLI says of a subagent in the session of its parent stays there',
    payload: { sessionId: 'parent', timestamp: 1, agentId: 'child', parentAgentId: 'parent' },
    facts: { agent: 'copilot', event: 'subagentStop' },
    wanted: { kind: 'subagent.done', subagent: true, sessionId: 'parent' },
  },
  // Failures in words
  {
    name: 'E4: an error that is JSON is shown as its message',
    payload: {
      sessionId: 's',
      timestamp: 1,
      error: { message: '400 {"error":{"message":"Too long"}}' },
    },
    facts: { agent: 'copilot', event: 'errorOccurred' },
    wanted: { kind: 'turn.failed', message: '400 Too long' },
  },
  {
    name: 'E4: braces that are not an error stay',
    payload: event('StopFailure', { last_assistant_message: 'Expected {a} in {b}' }),
    facts: claude,
    wanted: { message: 'Expected {a} in {b}' },
  },
  {
    name: 'E3: Gemini CLI: a turn without an answer says so',
    payload: event('AfterAgent', { prompt_response: '[no response text]' }),
    facts: { agent: 'gemini' },
    wanted: { kind: 'turn.done', message: 'It stopped without an answer' },
  },
  {
    name: 'E5: OpenCode: a title made of the time is none',
    payload: {
      type: 'session.created',
      properties: { info: { id: 's', title: 'New session - 2026-11-21T07:35:26.112Z' } },
    },
    facts: { agent: 'opencode' },
    wanted: { kind: 'session.start', title: null },
  },
  {
    name: 'E16: Codex: a question waits for an answer and shows the question',
    payload: event('PreToolUse', {
      tool_name: 'request_user_input',
      tool_input: { questions: [{ question: 'Which database?' }] },
    }),
    facts: { agent: 'codex' },
    wanted: { kind: 'needs.input', message: 'Which database?' },
  },
  {
    name: 'E16: Codex: other tools are not questions',
    payload: event('PreToolUse', { tool_name: 'Bash' }),
    facts: { agent: 'codex' },
    wanted: { kind: 'activity' },
  },
  {
    name: 'E10, E16: Codex: process and terminal are those of its daemon, and left out',
    payload: event('Stop', { turn_id: 't' }),
    facts: { agent: 'codex', ppid: '77', tmux_pane: '%3', tty: '/dev/pts/1', windowid: '9' },
    wanted: { facts: { agent: 'codex' } },
  },
  // The end of a session
  ...['error', 'abort'].map((reason) => ended(reason, { failed: true })),
  ...['other', 'clear', 'prompt_input_exit', 'made up'].map((reason) =>
    ended(reason, { failed: false }),
  ),
  {
    name: 'SessionEnd without a reason ends plainly (acceptance 009)',
    payload: event('SessionEnd', { reason: ['error'] }),
    facts: droid,
    wanted: { kind: 'session.end', reason: null, failed: false },
  },
  // Fields
  {
    name: 'wrong types count as absent (acceptance 018)',
    payload: {
      hook_event_name: 'Stop',
      session_id: 7,
      cwd: ['/p'],
      permission_mode: {},
      last_assistant_message: 5,
      background_tasks: 'many',
      agent_id: true,
    },
    facts: claude,
    wanted: { kind: 'turn.done', sessionId: null, cwd: null, message: null, permissionMode: null },
  },
  {
    name: 'keys that are traps stay inert (T16, fault 43)',
    payload:
      '{"hook_event_name":"constructor","__proto__":{"session_id":"forged"},"constructor":{"cwd":"/x"}}',
    wanted: { kind: 'activity', sessionId: null, cwd: null, event: 'constructor' },
  },
  {
    name: 'claude: an attended session is known by the environment',
    payload: event('Stop', ofClaude),
    facts: { claude_code_session_attended: '1' },
    wanted: { attended: true },
  },
  {
    name: 'claude: a headless one, too',
    payload: event('Stop', ofClaude),
    facts: { claude_code_session_attended: '0' },
    wanted: { attended: false },
  },
  {
    name: 'droid: variables inherited from a Claude Code shell are ignored',
    payload: event('Stop'),
    facts: { agent: 'droid', claude_code_session_attended: '1' },
    wanted: { attended: null },
  },
];

function prompted(source: string, kind: DecodedEvent['kind']): MeaningRow {
  return {
    name: `a prompt of source "${source}" is ${kind}`,
    payload: event('UserPromptSubmit', { prompt: 'go', source }),
    facts: claude,
    wanted: { kind, message: 'go', source: null },
  };
}

function ended(reason: string, { failed }: { readonly failed: boolean }): MeaningRow {
  return {
    name: `SessionEnd with reason "${reason}" is ${failed ? 'a failure' : 'a plain end'} (acceptance 007-009)`,
    payload: event('SessionEnd', { reason }),
    facts: droid,
    wanted: { kind: 'session.end', reason, failed },
  };
}

describe('decodePayload() says what an event means', () => {
  for (const row of rows) test(row.name, () => assertMeaning(row));
});

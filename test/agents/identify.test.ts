import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { z } from 'zod';

import type { HookFacts } from '../../src/core/facts.ts';
import type { AgentName } from '../../src/core/hook-event.ts';
import { kinds } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';

const Recorded = z.strictObject({
  event: z.string(),
  kind: z.enum(kinds),
  facts: z.record(z.string(), z.string()),
  payload: z.record(z.string(), z.unknown()),
});

const ofGrok = { grok_session_id: 'of-grok', grok_hook_event: 'stop' };
const grok = { hookEventName: 'stop', sessionId: 'of-grok', session_id: 'of-grok' };
const ofClaude = { claudecode: '1', claude_code_session_id: 'of-claude' };
const vscode = { hook_event_name: null, hookEventName: 'Stop', sessionId: 'v', timestamp: '2026' };
const storage = '/home/dev/.config/Code/User/workspaceStorage/0f/GitHub.copilot-chat/v.jsonl';

const rows: readonly (readonly [string, AgentName, HookFacts, object])[] = [
  ['the argument wins', 'codex', { agent: 'codex', droid_project_dir: '/p', claudecode: '1' }, {}],
  [
    'an argument that names no agent counts for nothing',
    'claude',
    { agent: 'x', claudecode: '1' },
    {},
  ],
  [
    '--agent claude yields to droid, which imports the hook',
    'droid',
    { agent: 'claude', factory_project_dir: '/p' },
    {},
  ],
  [
    '--agent claude yields to the transcript',
    'qwen',
    { agent: 'claude' },
    { transcript_path: '/home/dev/.qwen/x' },
  ],
  ['--agent claude yields to the shape', 'cursor', { agent: 'claude' }, { generation_id: 'g' }],
  [
    'Qwen sets the variable of Gemini as well',
    'qwen',
    { gemini_project_dir: '/p', qwen_project_dir: '/p' },
    {},
  ],
  ['Gemini', 'gemini', { gemini_project_dir: '/p' }, {}],
  ['CLAUDE_PROJECT_DIR proves nothing', 'unknown', { claude_project_dir: '/p' }, {}],
  [
    'an own variable beats an inherited one',
    'droid',
    { claudecode: '1', droid_project_dir: '/p' },
    {},
  ],
  [
    'the transcript beats an inherited variable',
    'codex',
    { claudecode: '1' },
    { transcript_path: '/h/.codex/s' },
  ],
  ['a transcript with backslashes', 'gemini', {}, { transcriptPath: 'C:\\Users\\d\\.gemini\\t' }],
  ['AI_AGENT', 'claude', { ai_agent: 'claude-code/2.1' }, {}],
  ['shape of Codex notify', 'codex', {}, { 'thread-id': 't' }],
  ['shape of Cursor', 'cursor', {}, { cursor_version: '3' }],
  ['shape of Copilot', 'copilot', {}, { sessionId: 's', timestamp: 1 }],
  ['a text as time is not Copilot', 'unknown', {}, { sessionId: 's', timestamp: '2026-01-01' }],
  ['shape of OpenCode', 'opencode', {}, { type: 'session.idle', properties: {} }],
  ['permission modes of droid', 'droid', {}, { permission_mode: 'auto-high' }],
  ['permission mode "auto" is Claude Code\'s', 'unknown', {}, { permission_mode: 'auto' }],
  ['no evidence', 'unknown', {}, { message: 'Test' }],
  ['Grok Build, whatever file has the hook', 'grok', { ...ofGrok, agent: 'cursor' }, grok],
  ['Grok Build in the shell of Claude Code', 'grok', { ...ofGrok, ...ofClaude }, grok],
  ['an agent in the shell of Grok Build', 'claude', ofGrok, { transcript_path: '/h/.claude/x' }],
  ['variables of Grok Build that a repository sets', 'unknown', ofGrok, { session_id: 's' }],
  ['VS Code, by a hook of Copilot CLI', 'vscode', { agent: 'copilot', vscode: '1' }, vscode],
  ['VS Code, by a hook of Claude Code', 'vscode', {}, { ...vscode, transcript_path: storage }],
  ['the shape of VS Code elsewhere', 'unknown', {}, vscode],
  [
    'the shape of VS Code with the transcript of another agent',
    'claude',
    { vscode: '1' },
    { ...vscode, transcript_path: '/home/dev/.claude/projects/x.jsonl' },
  ],
  ['Claude Code in a terminal of VS Code', 'claude', { vscode: '1', claudecode: '1' }, {}],
  ['Claude Code with other settings', 'claude', ofClaude, { session_id: 'of-claude' }],
  ['an unknown agent in the shell of Claude Code', 'unknown', ofClaude, { session_id: 'own' }],
  ['the shape of no Claude Code in its shell', 'unknown', { claudecode: '1' }, { timestamp: 'x' }],
  [
    'a payload that speaks for two agents',
    'unknown',
    { agent: 'codex' },
    { generation_id: 'g', transcript_path: '/home/dev/.claude/projects/x.jsonl' },
  ],
  [
    'a project in the directory of another agent',
    'qwen',
    {},
    { transcript_path: '/home/dev/.claude/worktrees/shop/.qwen/chats/x.jsonl' },
  ],
];

describe('decodePayload() names the agent (agents.md section 3)', () => {
  for (const [name, agent, facts, fields] of rows) {
    test(name, () => {
      const decoded = decodedEvent({ hook_event_name: 'Notification', ...fields }, facts);

      assert.equal(decoded.agent, agent);
      assert.ok(decoded.sessionKey.startsWith(`${agent}:`));
    });
  }
});

describe('only a proved agent has its traits', () => {
  const transcript = { transcript_path: '/somewhere/x.jsonl', session_id: 's' };
  const guesses: readonly (readonly [string, HookFacts, object])[] = [
    ['droid, by a variable that a repository may set', { droid_project_dir: '/p' }, {}],
    ['Claude Code, by an inherited variable', { claudecode: '1' }, {}],
    ['Claude Code, by the word of a person', { agent: 'claude' }, {}],
  ];
  for (const [name, facts, fields] of guesses) {
    test(`none for ${name}`, () => {
      const surroundings = { claude_pid: '42', claude_code_session_attended: '0', ...facts };
      const event = { hook_event_name: 'Notification', ...transcript, ...fields };

      const decoded = decodedEvent(event, surroundings);

      assert.notEqual(decoded.agent, 'unknown');
      assert.equal(decoded.isUnproved, true);
      assert.equal(decoded.facts.unproved, 'yes');
      assert.deepEqual([decoded.transcriptPath, decoded.attended], [null, null]);
      assert.equal(decoded.facts.claude_pid, undefined);
    });
  }

  test('all for Claude Code, by its own session', () => {
    const facts = { claude_code_session_id: 's', claude_code_session_attended: '0' };

    const decoded = decodedEvent({ hook_event_name: 'Stop', ...transcript }, facts);

    assert.equal(decoded.isUnproved, undefined);
    assert.deepEqual([decoded.transcriptPath, decoded.attended], ['/somewhere/x.jsonl', false]);
  });
});

describe('what Grok Build sends to the hooks of Claude Code', () => {
  const file = new URL('../../../test/fixtures/borrowed/grok-1.0.41.jsonl', import.meta.url);
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  for (const line of lines) {
    const { event, kind, facts, payload } = Recorded.parse(JSON.parse(line));
    const type = payload['notificationType'] ?? payload['reason'] ?? payload['subagentType'] ?? '';

    test(`${event} ${JSON.stringify(type)} is ${kind}`, () => {
      const decoded = decodedEvent(payload, facts);

      assert.deepEqual([decoded.agent, decoded.kind], ['grok', kind]);
      assert.equal(decoded.isUnproved, undefined);
      const again = decodedEvent({ ...payload, cwd: '/' }, { ...facts, agent: 'cursor' });
      assert.deepEqual(again.duplicate, decoded.duplicate);
      assert.equal(decoded.duplicate.windowMs, null);
    });
  }
});

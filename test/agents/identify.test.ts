import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookFacts } from '../../src/core/facts.ts';
import type { AgentName } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';

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
  ['--agent claude beats the shape', 'claude', { agent: 'claude' }, { conversation_id: 'c' }],
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

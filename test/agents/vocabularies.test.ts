import { describe, test } from 'node:test';

import type { HookFacts } from '../../src/core/facts.ts';
import type { MeaningRow } from '../support/decoded.ts';
import { assertMeaning } from '../support/decoded.ts';

const codex: HookFacts = { agent: 'codex' };
const gemini: HookFacts = { agent: 'gemini' };
const cursor: HookFacts = { agent: 'cursor' };
const copilot: HookFacts = { agent: 'copilot' };
const opencode: HookFacts = { agent: 'opencode' };

function event(name: string, fields: object = {}): object {
  return { session_id: 's', hook_event_name: name, ...fields };
}

const rows: readonly MeaningRow[] = [
  {
    name: 'codex: Interrupt interrupts the turn',
    payload: event('Interrupt'),
    facts: codex,
    wanted: { kind: 'turn.interrupted' },
  },
  {
    name: 'cursor: stop with status error fails the turn',
    payload: event('stop', { status: 'error', conversation_id: 'c' }),
    facts: cursor,
    wanted: { kind: 'turn.failed', failed: true, reason: 'error' },
  },
  {
    name: 'copilot: errorOccurred has its name',
    payload: event('errorOccurred', {
      timestamp: '2026',
      error: { name: 'RateLimit', message: 'slow down' },
    }),
    facts: copilot,
    wanted: { kind: 'turn.failed', reason: 'RateLimit', message: 'slow down' },
  },
  {
    name: 'event names are compared without regard to case',
    payload: event('SESSIONSTART', { source: 'resume' }),
    facts: cursor,
    wanted: { kind: 'session.start', source: 'resume', event: 'SESSIONSTART' },
  },
  {
    name: 'gemini: AfterTool ends a tool call',
    payload: event('AfterTool', { tool_name: 'read_file' }),
    facts: gemini,
    wanted: { kind: 'tool.done', tool: 'read_file' },
  },
  {
    name: 'gemini: SessionEnd ends the session',
    payload: event('SessionEnd', { reason: 'exit' }),
    facts: gemini,
    wanted: { kind: 'session.end', reason: 'exit' },
  },
  {
    name: 'copilot: agentStop ends the turn, its name coming from --event',
    payload: { sessionId: 's', timestamp: 1 },
    facts: { agent: 'copilot', event: 'agentStop' },
    wanted: { kind: 'turn.done', event: 'agentStop', sessionId: 's' },
  },
  {
    name: 'opencode: a user message is a prompt of its session',
    payload: {
      type: 'message.updated',
      properties: { info: { id: 'm1', sessionID: 's1', role: 'user' } },
    },
    wanted: { agent: 'opencode', kind: 'prompt', sessionId: 's1' },
  },
  {
    name: 'opencode: an assistant message is activity',
    payload: {
      type: 'message.updated',
      properties: { info: { id: 'm2', sessionID: 's1', role: 'assistant' } },
    },
    wanted: { kind: 'activity' },
  },
  {
    name: 'opencode: a new session has id, directory and title',
    payload: {
      type: 'session.created',
      properties: { info: { id: 's1', directory: '/home/dev/shop', title: 'Tests' } },
    },
    wanted: { kind: 'session.start', sessionId: 's1', project: 'shop', title: 'Tests' },
  },
  {
    name: 'opencode: an answer to a permission lets the work go on',
    payload: {
      type: 'permission.replied',
      properties: { sessionID: 's1', requestID: 'p1', reply: 'once' },
    },
    wanted: { agent: 'opencode', kind: 'tool.done', sessionId: 's1', subagent: false },
  },
  {
    name: 'opencode: so does a question that no one wants to answer',
    payload: { type: 'question.rejected', properties: { sessionID: 's1', requestID: 'q1' } },
    wanted: { agent: 'opencode', kind: 'tool.done', sessionId: 's1' },
  },
  {
    name: 'opencode: an aborted message interrupts the turn',
    payload: {
      type: 'session.error',
      properties: { error: { name: 'MessageAbortedError', data: { message: 'aborted' } } },
    },
    facts: opencode,
    wanted: { kind: 'turn.interrupted', sessionId: null },
  },
  {
    name: 'opencode: any other error fails it',
    payload: {
      type: 'session.error',
      properties: {
        sessionID: 's1',
        error: { name: 'ProviderAuthError', data: { message: 'no key' } },
      },
    },
    facts: opencode,
    wanted: {
      kind: 'turn.failed',
      reason: 'ProviderAuthError',
      message: 'no key',
      sessionId: 's1',
    },
  },
  {
    name: 'opencode: a question waits',
    payload: { type: 'question.asked', properties: { sessionID: 's1' } },
    facts: opencode,
    wanted: { kind: 'needs.input' },
  },
  {
    // As Gemini CLI 0.61.0 sent it to "npm run test:agents".
    name: 'E6: gemini: a permission to ask the person is a question',
    payload: event('Notification', {
      notification_type: 'ToolPermission',
      message: 'Tool requires confirmation',
      details: { type: 'ask_user', title: 'Ask User' },
    }),
    facts: gemini,
    wanted: { kind: 'needs.input', message: null, asked: null },
  },
  {
    name: 'gemini: a permission to leave the plan mode is a plan to approve',
    payload: event('Notification', {
      notification_type: 'ToolPermission',
      message: 'Tool requires confirmation',
      details: { type: 'exit_plan_mode', title: 'Plan Approval' },
    }),
    facts: gemini,
    wanted: {
      kind: 'needs.permission',
      asked: { action: 'plan', text: 'ready for approval', options: [] },
    },
  },
  {
    name: 'opencode: permission.v2.asked names an action and resources',
    payload: {
      type: 'permission.v2.asked',
      properties: { id: 'per_1', sessionID: 's1', action: 'bash', resources: ['git push'] },
    },
    facts: opencode,
    wanted: {
      kind: 'needs.permission',
      sessionId: 's1',
      asked: { action: 'run', text: 'git push', options: [] },
    },
  },
  {
    name: 'opencode: question.v2.asked waits as well',
    payload: {
      type: 'question.v2.asked',
      properties: { sessionID: 's1', questions: [{ question: 'Which?', options: [] }] },
    },
    facts: opencode,
    wanted: { kind: 'needs.input', message: 'Which?' },
  },
  ...['permission.v2.replied', 'question.v2.replied', 'question.v2.rejected'].map(
    (type): MeaningRow => ({
      name: `opencode: ${type} lets the work go on`,
      payload: { type, properties: { sessionID: 's1', requestID: 'r1' } },
      facts: opencode,
      wanted: { kind: 'tool.done', sessionId: 's1' },
    }),
  ),
];

describe("decodePayload() understands each agent's own words", () => {
  for (const row of rows) test(row.name, () => assertMeaning(row));
});

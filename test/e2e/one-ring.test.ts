import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';

/** A turn whose end two hooks report: their commands and environments, and what each was given. */
interface Twice {
  readonly name: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly hooks: readonly {
    readonly words: readonly string[];
    readonly payload: object;
    readonly argument?: boolean;
  }[];
}

const cursor = {
  conversation_id: 'c',
  generation_id: 'g',
  cursor_version: '2',
  status: 'completed',
};
const droid = { session_id: 's', message_id: 'm', cwd: '/w', hook_event_name: 'Stop' };
const claude = { session_id: 's', cwd: '/w', transcript_path: '/h/.claude/projects/x.jsonl' };
const copilot = { sessionId: 'u', cwd: '/w', stopReason: 'end_turn', timestamp: 1_790_000_000_000 };
const copilotWords = ['--agent', 'copilot', '--event', 'agentStop'];
const vscode = {
  hookEventName: 'Stop',
  sessionId: 'v',
  timestamp: '2026-11-27T18:00:00.000Z',
  stop_hook_active: false,
};
const grok = {
  hookEventName: 'stop',
  hook_event_name: 'Stop',
  sessionId: 'g',
  session_id: 'g',
  cwd: '/w',
  reason: 'end_turn',
  timestamp: '2026-11-27T18:00:00.123456789+00:00',
};
const unknown = { hook_event_name: 'Stop', session_id: 'n', cwd: '/w' };
const cases: readonly Twice[] = [
  {
    name: 'Copilot, by the files of the user and of the project',
    hooks: [
      { words: copilotWords, payload: copilot },
      { words: copilotWords, payload: { ...copilot, timestamp: copilot.timestamp + 3 } },
    ],
  },
  {
    name: 'Copilot, by its own file and the settings of Claude Code in the repository',
    hooks: [
      { words: copilotWords, payload: copilot },
      {
        words: [],
        payload: {
          hook_event_name: 'Stop',
          session_id: 'u',
          cwd: '/w',
          stop_reason: 'end_turn',
          timestamp: '2026-09-21T14:13:20.003Z',
        },
      },
    ],
  },
  {
    name: 'Claude Code, by its settings and the plugin',
    hooks: [
      { words: [], payload: { ...claude, hook_event_name: 'Stop', prompt_id: 'p' } },
      { words: [], payload: { ...claude, hook_event_name: 'Stop', prompt_id: 'p' } },
    ],
  },
  {
    name: 'droid without ids, by its settings and the plugin',
    env: { FACTORY_PROJECT_DIR: '/w' },
    hooks: [
      { words: [], payload: { session_id: 's', cwd: '/w', hook_event_name: 'Stop' } },
      { words: [], payload: { session_id: 's', cwd: '/w', hook_event_name: 'Stop' } },
    ],
  },
  {
    name: 'Codex, by its hook and by notify',
    hooks: [
      {
        words: ['--agent', 'codex'],
        payload: { hook_event_name: 'Stop', session_id: 't', turn_id: 'u', cwd: '/w' },
      },
      {
        words: ['--agent', 'codex'],
        argument: true,
        payload: { type: 'agent-turn-complete', 'thread-id': 't', 'turn-id': 'u', cwd: '/w' },
      },
    ],
  },
  {
    name: 'droid, by its own hook and the one imported from Claude Code',
    env: { FACTORY_PROJECT_DIR: '/w' },
    hooks: [
      { words: [], payload: droid },
      { words: ['--agent', 'claude'], payload: droid },
    ],
  },
  {
    name: 'Cursor, by its own hook and the one of Claude Code that it runs, too',
    hooks: [
      { words: ['--agent', 'cursor'], payload: { ...cursor, hook_event_name: 'stop' } },
      { words: [], payload: { ...cursor, hook_event_name: 'Stop' } },
    ],
  },
  {
    name: "VS Code's agent, by the hooks of the project and those of Claude Code's user",
    env: { VSCODE_PID: '4444' },
    hooks: [
      { words: ['--agent', 'copilot', '--event', 'agentStop'], payload: { ...vscode, cwd: '/w' } },
      { words: [], payload: { ...vscode, timestamp: '2026-11-27T18:00:00.008Z' } },
      {
        words: ['--agent', 'vscode'],
        payload: { ...vscode, timestamp: '2026-11-27T18:00:00.016Z' },
      },
    ],
  },
  {
    name: 'Grok Build, by its own file and the three of others',
    env: { GROK_SESSION_ID: 'g', GROK_HOOK_EVENT: 'stop' },
    hooks: [
      { words: ['--agent', 'grok'], payload: grok },
      { words: [], payload: grok },
      { words: ['--agent', 'cursor'], payload: grok },
      { words: [], payload: grok },
    ],
  },
  {
    name: 'an unknown agent, by the files of two others',
    hooks: [
      { words: ['--agent', 'cursor'], payload: unknown },
      { words: ['--agent', 'copilot', '--event', 'agentStop'], payload: unknown },
    ],
  },
];

describe('a turn that two hooks report notifies once', () => {
  for (const { name, env = {}, hooks } of cases) {
    test(name, async () => {
      await using place = await hookbellHome();
      await place.start();
      Object.assign(place.env, env);

      for (const { words, payload, argument = false } of hooks) {
        const text = JSON.stringify(payload);
        await (argument ? place.handOver('', [...words, text]) : place.handOver(text, words));
      }
      await until(async () => (await place.ask('GET /v1/history')).length === hooks.length);

      const history = await place.ask('GET /v1/history');
      assert.deepEqual(new Set(history.map(({ kind, agent }) => `${kind} ${agent}`)).size, 1);
      assert.equal(history.filter(({ deliveries }) => deliveries.length > 0).length, 1);
    });
  }
});

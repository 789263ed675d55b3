import { describe, test } from 'node:test';

import type { DecodedEvent } from '../../src/agents/decode.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import type { MeaningRow } from '../support/decoded.ts';
import { assertMeaning } from '../support/decoded.ts';

const claude: HookFacts = { agent: 'claude' };

function event(name: string, fields: object = {}): object {
  return { session_id: 's', cwd: '/home/dev/shop', hook_event_name: name, ...fields };
}

const rows: readonly MeaningRow[] = [
  // What a notification is for; the vocabulary of each agent: vocabulary.test.ts
  typed('agent_completed', 'subagent.done'),
  typed('auth_success', 'activity'),
  ...['constructor', '__proto__', 'new', 'a type of tomorrow', '\u001b[31m', 'x'.repeat(9_000)].map(
    (type) => unknownType(type),
  ),
  {
    name: 'Notification of an unknown type without words that ask for a permission still waits',
    payload: event('Notification', { notification_type: 'deploy_gate', message: 'Release 7?' }),
    facts: claude,
    wanted: { kind: 'needs.input', message: 'Release 7?', isUnknownType: true },
  },
  ...[['a'], { a: 1 }, 7, true].map((odd) => ({
    name: `Notification whose type and text are ${JSON.stringify(odd)} waits, without either`,
    payload: event('Notification', { notification_type: odd, message: odd }),
    facts: claude,
    wanted: { kind: 'needs.input' as const, message: null, notificationType: null },
  })),
  {
    name: "Notification of a teammate's request names the tool, and is asked beside the conversation",
    payload: event('Notification', {
      notification_type: 'worker_permission_prompt',
      message: 'reviewer needs permission for Bash',
    }),
    facts: claude,
    wanted: {
      kind: 'needs.permission',
      message: 'reviewer needs permission for Bash',
      tool: 'Bash',
      asked: { action: 'use', text: 'Bash', options: [], by: 'reviewer' },
      subagent: true,
    },
  },
  {
    name: "Notification of a teammate's wish for the network names the host, and has no tool",
    payload: event('Notification', {
      notification_type: 'worker_permission_prompt',
      message: 'reviewer needs network access to registry.example.com',
    }),
    facts: claude,
    wanted: {
      kind: 'needs.permission',
      tool: null,
      asked: {
        action: 'use',
        text: 'network access to registry.example.com',
        options: [],
        by: 'reviewer',
      },
      subagent: true,
    },
  },
  {
    name: 'Notification of a plugin names the plugin before its words',
    payload: event('Notification', {
      notification_type: 'plugin_notification',
      title: 'deployer',
      message: 'Staging is up',
    }),
    facts: claude,
    wanted: { kind: 'message', message: 'deployer: Staging is up' },
  },
  {
    name: 'Notification without type asks for permission if its text says so',
    payload: event('Notification', { message: 'Droid NEEDS YOUR APPROVAL to use Execute' }),
    wanted: { kind: 'needs.permission' },
  },
  {
    name: 'Notification without type and text still waits for a person (acceptance 003)',
    payload: event('Notification', { message: null, notification_type: 7 }),
    wanted: { kind: 'needs.input', message: null, notificationType: null },
  },
];

function typed(type: string, kind: DecodedEvent['kind']): MeaningRow {
  return {
    name: `Notification of type "${type}" is ${kind}`,
    payload: event('Notification', { notification_type: type, message: 'needs your permission' }),
    facts: claude,
    wanted: { kind, notificationType: type, message: 'needs your permission' },
  };
}

function unknownType(type: string): MeaningRow {
  return {
    ...typed(type, 'needs.permission'),
    name: `Notification of the unknown type ${JSON.stringify(type.slice(0, 30))} is a wait`,
    wanted: {
      kind: 'needs.permission',
      notificationType: type.slice(0, 4_096),
      message: 'needs your permission',
      isUnknownType: true,
    },
  };
}

describe('decodePayload() takes every notification for a wait that is not known as something else', () => {
  for (const row of rows) test(row.name, () => assertMeaning(row));
});

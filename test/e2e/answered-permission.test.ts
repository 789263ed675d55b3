import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { hookbellHome, until } from '../support/hookbell-home.ts';

/** A question of an agent, and the event it sends once a person has answered in its terminal. */
const cases = [
  {
    agent: 'gemini',
    question: {
      session_id: 's',
      cwd: '/w',
      hook_event_name: 'Notification',
      notification_type: 'ToolPermission',
      message: 'Allow the shell?',
    },
    answered: { session_id: 's', cwd: '/w', hook_event_name: 'AfterTool', tool_name: 'shell' },
  },
  {
    agent: 'opencode',
    question: {
      type: 'permission.asked',
      properties: { id: 'p', sessionID: 's', permission: 'bash', patterns: ['ls'] },
    },
    answered: {
      type: 'permission.replied',
      properties: { sessionID: 's', requestID: 'p', reply: 'once' },
    },
  },
] as const;

describe('a permission that was given in the terminal ends its alert before the turn ends', () => {
  for (const { agent, question, answered } of cases) {
    test(agent, async () => {
      await using place = await hookbellHome();
      await place.start();
      const words = ['--agent', agent];

      await place.hook(question, words);
      await until(async () => (await place.ask('GET /v1/history')).length === 1);
      const [asked] = await place.ask('GET /v1/history');
      assert.equal(asked?.kind, 'needs.permission');
      await place.hook(answered, words);
      await until(async () => (await place.ask('GET /v1/history')).length === 2);

      const history = await place.ask('GET /v1/history');
      const resolved = history.flatMap(({ event, decisions }) =>
        decisions.some(({ stage }) => stage === 'resolve') ? [event] : [],
      );
      assert.deepEqual(resolved, [agent === 'gemini' ? 'AfterTool' : 'permission.replied']);
    });
  }
});

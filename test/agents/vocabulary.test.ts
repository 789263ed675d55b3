import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { dialects } from '../../src/agents/registry.ts';
import { eventWord, notificationWord } from '../../src/agents/support/vocabulary.ts';
import { dialectNames, type Kind } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleRecord } from '../support/store.ts';

/** What may be silent although it is addressed to a person. */
const news: readonly Kind[] = ['activity', 'subagent.done'];

for (const agent of dialectNames) {
  const { vocabulary } = dialects[agent];
  const { events, notifications } = vocabulary;

  describe(`the vocabulary of ${agent} is what decodePayload() decides`, () => {
    for (const [name, { kind, when }] of Object.entries(events)) {
      test(`event "${name}" is ${kind}: ${when}`, () => {
        const { event, kind: found } = decodedEvent(sample(agent, name), { agent });

        assert.deepEqual({ event, kind: found }, { event: name, kind });
        assert.ok(when.length > 0);
      });
    }

    for (const [type, { kind, when }] of Object.entries(notifications)) {
      test(`notification "${type}" is ${kind}: ${when}`, () => {
        const name = Object.keys(events).find((one) => /^notification$/i.test(one));
        const found = decodedEvent(
          { ...sample(agent, name ?? 'Notification'), notification_type: type },
          { agent },
        );

        assert.equal(found.kind, kind);
        assert.equal(found.isUnknownType, undefined);
        assert.ok(when.length > 0);
      });
    }

    test('a type that it does not list notifies', () => {
      const payload = { ...sample(agent, 'Notification'), notification_type: 'of tomorrow' };
      const { kind, isUnknownType, message } = decodedEvent(payload, { agent });

      assert.deepEqual(
        { kind, isUnknownType, message },
        { kind: 'needs.input', isUnknownType: true, message: 'Look' },
      );
    });

    test('an event that it does not list is activity', () => {
      assert.equal(eventWord(vocabulary, 'OfTomorrow'), null);
      assert.equal(decodedEvent(sample(agent, 'OfTomorrow'), { agent }).kind, 'activity');
    });
  });
}

test('silent notifications are only these, each with its reason', () => {
  const silent = dialectNames.flatMap((agent) =>
    Object.entries(dialects[agent].vocabulary.notifications)
      .filter(([, { kind }]) => news.includes(kind))
      .map(([type]) => `${agent} ${type}`),
  );

  assert.deepEqual(silent.filter((one) => !one.startsWith('unknown')).toSorted(), [
    'claude agent_completed',
    'claude auth_success',
    'claude computer_use_enter',
    'claude computer_use_exit',
    'claude elicitation_complete',
    'claude elicitation_response',
    'copilot agent_completed',
    'copilot instruction_discovered',
    'copilot new_inbox_message',
    'copilot shell_completed',
    'copilot shell_detached_completed',
    'grok session_ready',
    'grok task_complete',
    'grok turn_complete',
    'kimi task.completed',
    'kimi task.failed',
    'kimi task.killed',
    'kimi task.lost',
    'kimi task.timed_out',
    'qoder auth_success',
    'qoder elicitation_complete',
    'qoder elicitation_response',
    'qwen auth_success',
  ]);
});

test('notificationWord() takes no name from the prototype of an object', () => {
  const { vocabulary } = dialects.claude;
  for (const type of ['constructor', '__proto__', 'toString']) {
    assert.equal(notificationWord(vocabulary, type), null);
    assert.equal(eventWord(vocabulary, type), null);
  }
});

test('a headless run of Claude Code refuses what it is known to ask, and may wait for anything else', () => {
  const { refine } = dialects.claude.traits;
  const { event } = sampleRecord({ agent: 'claude', kind: 'needs.input', attended: false });

  assert.equal(refine?.(event, null)?.kind, 'activity');
  assert.equal(refine?.({ ...event, isUnknownType: true }, null), null);
});

/** A payload of the event with what its readings look at. */
function sample(agent: string, name: string): object {
  if (agent === 'opencode' || agent === 'kilo') {
    return { type: name, properties: { sessionID: 's' }, message: 'Look' };
  }
  // What proves these two, which other agents may be registered for.
  const proof =
    agent === 'copilot'
      ? { sessionId: 's', timestamp: 1 }
      : {
          session_id: 's',
          ...(agent === 'cursor' && { conversation_id: 'c', cursor_version: '2' }),
        };
  return {
    hook_event_name: name,
    ...proof,
    message: 'Look',
    prompt: 'Go on',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  };
}

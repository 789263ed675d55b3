import assert from 'node:assert/strict';
import { test } from 'node:test';

import { decide } from '../../src/alerts/decide.ts';
import { traitsOf } from '../../src/agents/registry.ts';
import { confirmation } from '../../src/core/agent/witness.ts';
import { unknownPresence } from '../../src/core/policy.ts';
import type { Decide } from '../../src/core/store.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { samplePolicy } from '../support/decisions.ts';
import { NOW, sampleRecord, temporaryStore } from '../support/store.ts';

function wait(at: number, id: string, fields: Partial<HookEvent>) {
  return sampleRecord({
    id,
    agent: 'claude',
    sessionId: 's1',
    sessionKey: 'claude:s1',
    kind: 'needs.permission',
    at: NOW + at,
    receivedAt: NOW + at,
    subject: id,
    ...fields,
  });
}

test('waitsSeen() counts waits by how they were seen and when they were known, without reminders', async () => {
  await using opened = await temporaryStore();
  let ids = 0;
  const decideNow: Decide = (memory, event) =>
    decide(memory, event, {
      policy: samplePolicy,
      agents: traitsOf,
      now: NOW,
      presence: unknownPresence,
      newId: () => `id-${(ids += 1)}`,
    });
  const seen = `waiting ${NOW + 60_000} 2.1.332`;
  const records = [
    wait(0, 'hook', { event: 'PermissionRequest', facts: { ppid: '7' } }),
    wait(6_000, 'reminder', { event: 'Notification', notificationType: 'permission_prompt' }),
    wait(10_000, 'over', { kind: 'prompt', event: 'UserPromptSubmit' }),
    wait(30_000, 'alone', { sessionId: 's2', sessionKey: 'claude:s2', facts: { ppid: '8' } }),
    wait(60_000, 'record', {
      event: 'SeenWaiting',
      facts: { seen, claude_code_entrypoint: 'claude-vscode' },
    }),
    wait(62_000, 'late', { event: 'PermissionRequest', facts: { ppid: '7' } }),
  ];
  for (const record of records) await opened.store.events.accept([record], decideNow);
  // The record shows what the first hook has reported.
  const reason = confirmation({ state: 'waiting', since: NOW - 40, version: '2.1.332' });
  await opened.store.events.addDecision('hook', { stage: 'track', verdict: 'note', reason });

  const found = await opened.store.history.waitsSeen(NOW);

  assert.deepEqual(
    new Set(found),
    new Set([
      { agent: 'claude', by: 'hook', version: '2.1.332', surface: null, count: 1, afterMs: 40 },
      { agent: 'claude', by: 'hook', version: null, surface: null, count: 1, afterMs: null },
      {
        agent: 'claude',
        by: 'record',
        version: '2.1.332',
        surface: 'claude-vscode',
        count: 1,
        afterMs: 0,
      },
      { agent: 'claude', by: 'late', version: null, surface: null, count: 1, afterMs: null },
    ]),
  );
});

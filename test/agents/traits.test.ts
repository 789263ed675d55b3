import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { tookFeedback } from '../../src/agents/claude/index.ts';
import { traitsOf } from '../../src/agents/registry.ts';
import type { AgentName, HookEvent } from '../../src/core/hook-event.ts';
import type { Session } from '../../src/core/session.ts';
import { sampleEvent } from '../support/sample.ts';
import { sampleSession } from '../support/store.ts';

const NOW = 1_700_000_000_000;

/** What the agent makes of an event after a session. */
function refined(
  agent: AgentName,
  event: Partial<HookEvent>,
  session: Partial<Session> | null = {},
): string | null {
  const { refine } = traitsOf(agent);
  const before = session === null ? null : sampleSession({ agent, ...session });
  return refine?.(sampleEvent({ agent, at: NOW, ...event }), before)?.kind ?? null;
}

describe('the traits of an agent refine', () => {
  test('a question of an unattended Claude Code, which refuses by itself, but none of an unknown type', () => {
    const asks = { kind: 'needs.permission', attended: false } as const;

    assert.equal(refined('claude', asks), 'activity');
    assert.equal(refined('claude', { ...asks, isUnknownType: true }), null);
    assert.equal(refined('claude', { ...asks, attended: null }), null);
    assert.equal(refined('claude', { ...asks, kind: 'turn.done' }), null);
  });

  test('the end of a turn of droid that works for another session', () => {
    const task = { firstPrompt: '# Task Tool Invocation\nLook' };
    const done = { kind: 'turn.done' } as const;
    const failed = { kind: 'turn.failed' } as const;

    assert.equal(refined('droid', done, task), 'subagent.done');
    assert.equal(refined('droid', failed, task), 'subagent.done');
    assert.equal(refined('droid', { kind: 'prompt' }, task), null);
    assert.equal(refined('droid', done, { firstPrompt: 'About # Task Tool Invocation' }), null);
    assert.equal(refined('droid', done, null), null);
  });

  test('the end of a turn of droid whose session the user has left', () => {
    const left = { state: 'ended' } as const;

    assert.equal(refined('droid', { kind: 'turn.done' }, left), 'activity');
    assert.equal(refined('droid', { kind: 'turn.failed' }, left), null);
    assert.equal(refined('droid', { kind: 'turn.done' }), null);
  });

  test('a failure of Copilot CLI that may be repeated, and its last one when the turn ends', () => {
    const failed = { lastKind: 'turn.failed', lastEventAt: NOW - 999 } as const;
    const done = { kind: 'turn.done' } as const;

    assert.equal(refined('copilot', { kind: 'turn.failed', reason: 'recoverable' }), 'activity');
    assert.equal(refined('copilot', { kind: 'turn.failed', reason: 'quota' }), null);
    assert.equal(refined('copilot', { kind: 'prompt', reason: 'recoverable' }), null);
    assert.equal(refined('copilot', done, failed), 'turn.failed');
    assert.equal(refined('copilot', done, { ...failed, lastEventAt: NOW - 1_000 }), null);
    assert.equal(refined('copilot', { kind: 'prompt' }, failed), null);
    assert.equal(refined('copilot', done), null);
    assert.equal(refined('copilot', done, null), null);
  });
});

const at = (ms: number) => ({ timestamp: new Date(NOW + ms).toISOString() });

const feedback = (text: string): string =>
  JSON.stringify({
    type: 'user',
    ...at(1),
    message: { content: `Stop hook feedback:\n${text}` },
  });

/** What the model, or Claude Code in its name, has written after that. */
const said = (fields: object = {}): string =>
  JSON.stringify({
    type: 'assistant',
    isSidechain: false,
    ...at(2),
    message: { content: [{ type: 'text', text: 'Stop hook feedback' }] },
    ...fields,
  });

describe('tookFeedback()', () => {
  test('finds exactly these words since that time, and an answer to them', () => {
    const took = (text: string, since = NOW): boolean =>
      tookFeedback(`half\n${said()}\n${feedback(text)}\n${said()}`, 'Go', since);

    assert.deepEqual([took('Go on'), took('Go', NOW + 2), took('Go')], [false, false, true]);
    assert.equal(took('Go', NOW + 1), true);
    assert.equal(tookFeedback(`Stop hook feedback:\nGo\n${said()}`, 'Go', NOW), false);
    assert.equal(tookFeedback(`${feedback('Go')}\n${said()}`, 'Go', NOW), true);
    assert.equal(tookFeedback('', 'Go', NOW), false);
  });

  test('believes no answer of which no model was asked: a failed request, a subagent, what was said before', () => {
    for (const after of ['', said({ isApiErrorMessage: true }), said({ isSidechain: true })]) {
      assert.equal(tookFeedback(`${said()}\n${feedback('Go')}\n${after}`, 'Go', NOW), false);
    }
    const asModel = said({ message: { content: 'Stop hook feedback:\nGo' } });
    assert.equal(tookFeedback(`${asModel}\n${said()}`, 'Go', NOW), false, 'said by the model');
  });
});

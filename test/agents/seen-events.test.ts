import assert from 'node:assert/strict';
import { test } from 'node:test';

import { type SeenDetails, seenPayload } from '../../src/agents/support/seen-events.ts';
import type { RecordedSession } from '../../src/core/agent/witness.ts';
import type { HookFacts } from '../../src/core/facts.ts';
import { decodedEvent } from '../support/decoded.ts';

const waits: RecordedSession = {
  state: 'waiting',
  since: 1_795_824_904_014,
  waitingFor: 'dialog open',
  sessionId: 's1',
  cwd: '/home/dev/shop',
  pid: 42,
  start: null,
  version: '2.1.332',
  surface: 'cli',
};
const seen: HookFacts = { agent: 'grok', seen: 'waiting 1795824904014 2.1.332' };

function eventOf(details: SeenDetails, facts = seen, session = waits) {
  const path = '/home/dev/.grok/sessions/shop/s1/updates.jsonl';
  return decodedEvent(seenPayload(session, details, path), facts);
}

test('a statement becomes an event of its session that waits for what it says', () => {
  const event = eventOf({ status: 'needs.input', message: 'A dialog is open' });

  assert.equal(event.event, 'SeenWaiting');
  assert.deepEqual(
    [event.kind, event.message, event.reason, event.sessionId, event.cwd, event.asked],
    ['needs.input', 'A dialog is open', 'dialog open', 's1', '/home/dev/shop', null],
  );
  assert.equal(event.transcriptPath, '/home/dev/.grok/sessions/shop/s1/updates.jsonl');
});

test('a statement without a transcript or a reason names none', () => {
  const payload = seenPayload({ ...waits, waitingFor: null }, { status: 'prompt' }, null);

  const { transcriptPath, reason, kind } = decodedEvent(payload, seen);

  assert.deepEqual([kind, reason, transcriptPath], ['prompt', null, null]);
});

test('the same words at another time are another wait', () => {
  const details = { status: 'needs.input', message: 'A dialog is open' } as const;
  const later = { ...seen, seen: 'waiting 1795824904999 2.1.332' };

  assert.equal(eventOf(details).subject, eventOf(details).subject);
  assert.notEqual(eventOf(details).subject, eventOf(details, later).subject);
});

test('a statement with a call asks what the call does', () => {
  const call = { tool_name: 'Bash', tool_input: { command: 'npm test' } };

  const { kind, tool, asked, reason } = eventOf({ status: 'needs.permission', ...call });

  assert.deepEqual([kind, tool, reason], ['needs.permission', 'Bash', 'dialog open']);
  assert.equal(asked?.text, 'npm test');
});

test('a statement about the end of a turn says how it ended', () => {
  const failed = eventOf({ status: 'turn.failed', error: 'It ran out of tokens' });
  const done = eventOf({ status: 'turn.done', message: 'Done' });
  const odd = eventOf({ status: 'subagent.done', message: 'Done' });

  assert.deepEqual([failed.kind, failed.message], ['turn.failed', 'It ran out of tokens']);
  assert.deepEqual([done.kind, done.message], ['turn.done', 'Done']);
  assert.equal(odd.kind, 'activity', 'a kind that no statement has');
});

test('an event of a hook is none, whatever its name or its facts', () => {
  const details = { status: 'needs.input', message: 'A dialog is open' } as const;

  assert.equal(eventOf(details, { agent: 'grok' }).kind, 'activity');
  const payload = { hook_event_name: 'Stop', session_id: 's1', status: 'needs.input' };
  assert.equal(decodedEvent(payload, seen).kind, 'turn.done');
});

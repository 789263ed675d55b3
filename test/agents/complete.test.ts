import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import {
  answerIn,
  completeEvent,
  failureIn,
  transcriptAddition,
  wantedTranscript,
  withAddition,
} from '../../src/agents/complete.ts';
import type { DialectName, HookRecord } from '../../src/core/hook-event.ts';
import { decodedEvent } from '../support/decoded.ts';
import { sampleEvent } from '../support/sample.ts';

function recordOf(agent: DialectName, payload: object): HookRecord {
  const event = sampleEvent(decodedEvent(payload, { agent }));
  return { event, payload: Buffer.from(JSON.stringify(payload)) };
}

const stop = { session_id: 's', hook_event_name: 'Stop', cwd: '/w', message_id: 'end' };
const droidAnswer = JSON.stringify({
  type: 'message',
  id: 'end',
  message: { role: 'assistant', content: [{ type: 'text', text: 'All tests pass.' }] },
});

describe('wantedTranscript()', () => {
  const path = '/home/dev/t.jsonl';
  const wanted = (fields: Parameters<typeof sampleEvent>[0]) =>
    wantedTranscript(sampleEvent({ transcriptPath: path, message: null, ...fields }));

  test('is the one of a turn of Copilot CLI that ended without words, and not of its subagents', () => {
    assert.deepEqual(wanted({ agent: 'copilot', kind: 'turn.done' }), { path, isLate: true });
    assert.equal(wanted({ agent: 'copilot', kind: 'turn.done', subagent: true }), null);
    assert.equal(wanted({ agent: 'copilot', kind: 'turn.done', message: 'Done.' }), null);
    assert.equal(wanted({ agent: 'copilot', kind: 'session.end' }), null);
    assert.deepEqual(wanted({ agent: 'copilot', kind: 'session.end', failed: true }), {
      path,
      isLate: true,
    });
  });

  test('is none for a notification of a service, and for an agent that tells everything', () => {
    assert.equal(wanted({ agent: 'service', kind: 'turn.done' }), null);
    assert.equal(wanted({ agent: 'cursor', kind: 'turn.done' }), null);
  });

  for (const [sessionId, found] of [
    ['0190a5e0-0000', '~/.copilot/session-state/0190a5e0-0000/events.jsonl'],
    ['../../etc', null],
    ['x'.repeat(65), null],
  ] as const) {
    test(`a session "${sessionId.slice(0, 20)}" of Copilot CLI has ${found ?? 'none'}`, () => {
      const payload = { sessionId, timestamp: 1, hook_event_name: 'sessionEnd', reason: 'error' };

      assert.equal(decodedEvent(payload, { agent: 'copilot' }).transcriptPath, found);
    });
  }
});

describe('completeEvent()', () => {
  test('returns the same event where the agent has no transcript to read, or the payload is none', () => {
    const cursor = recordOf('cursor', { ...stop, hook_event_name: 'stop' });
    const droid = recordOf('droid', stop);
    const damaged = { ...droid, payload: Buffer.from('[1]') };

    assert.equal(completeEvent(cursor, droidAnswer), cursor.event);
    assert.equal(completeEvent(damaged, droidAnswer), droid.event);
    assert.equal(completeEvent(droid, droidAnswer).message, 'All tests pass.');
  });
});

describe('transcriptAddition()', () => {
  test('is what the transcript added, for a machine that has only the payload', () => {
    const record = recordOf('droid', stop);
    const event = completeEvent(record, droidAnswer);

    assert.equal(transcriptAddition(record), null);
    assert.deepEqual(transcriptAddition({ ...record, event }), {
      message: 'All tests pass.',
      tool: null,
      asked: null,
      failed: false,
    });
  });

  test('is none where the payload cannot be read, or the event came from another machine', () => {
    const record = recordOf('droid', stop);
    const event = completeEvent(record, droidAnswer);

    assert.equal(transcriptAddition({ event, payload: Buffer.from('[1]') }), null);
    assert.equal(transcriptAddition({ ...record, event: { ...event, machine: 'build-7' } }), null);
    const service = sampleEvent({ agent: 'service' });
    assert.equal(transcriptAddition({ ...record, event: service }), null);
  });
});

describe('withAddition()', () => {
  const addition = { message: 'No such model', tool: null, asked: null, failed: true };

  test('says of a session and of a turn that they have failed', () => {
    const ended = sampleEvent({ agent: 'codex', kind: 'session.end', message: null });
    const done = sampleEvent({ agent: 'copilot', kind: 'turn.done', message: null });

    const failures = [ended, done].map((event) => {
      const { kind, failed, message } = withAddition(event, addition);
      return [kind, failed, message];
    });

    assert.deepEqual(failures, [
      ['session.end', true, 'No such model'],
      ['turn.failed', true, 'No such model'],
    ]);
  });

  test('returns the same event where no transcript could add anything', () => {
    for (const event of [
      sampleEvent({ agent: 'service', kind: 'turn.done', message: null }),
      sampleEvent({ agent: 'cursor', kind: 'turn.done', message: null }),
      sampleEvent({ agent: 'copilot', kind: 'prompt', message: null }),
    ]) {
      assert.equal(withAddition(event, addition), event);
    }
  });
});

test('a service has no failed turn and no answer in any text', () => {
  const event = sampleEvent({ agent: 'service', kind: 'needs.permission' });

  assert.equal(failureIn(event, { since: 0, tail: droidAnswer }), null);
  assert.equal(answerIn(event, droidAnswer), null);
});

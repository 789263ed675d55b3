import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { joinWitness } from '../../../src/alerts/join-witness.ts';
import type { HookEvent } from '../../../src/core/hook-event.ts';
import type { Session } from '../../../src/core/session.ts';
import { createTurnWatch } from '../../../src/daemon/transcripts/turn-watch.ts';
import { played } from '../../support/played.ts';
import { sampleEffects, sampleRecord, sampleSession, temporaryStore } from '../../support/store.ts';

const BEGAN = Date.UTC(2026, 10, 22, 18, 45);
const NOW = BEGAN + 30_000;

interface Turn {
  readonly event?: Partial<HookEvent>;
  readonly session?: Partial<Session>;
  /** Lines of its transcript, each with its time since the start in seconds. */
  readonly lines: readonly (readonly [seconds: number, fields: object])[];
  /** A change of the session while its transcript is read. */
  readonly meanwhile?: Partial<Session>;
}

/** The events of failed turns that two looks find, in a store with one session. */
async function found({ event, session, lines, meanwhile }: Turn): Promise<readonly HookEvent[]> {
  await using opened = await temporaryStore();
  const { store } = opened;
  const agent = event?.agent ?? 'codex';
  const record = sampleRecord({
    agent,
    kind: 'prompt',
    at: BEGAN,
    transcriptPath: '/t.jsonl',
    facts: { agent },
    ...event,
  });
  const { sessionKey: key, sessionId, machine } = record.event;
  const running = sampleSession({
    key,
    agent,
    sessionId,
    machine,
    state: 'working',
    turnStartedAt: BEGAN,
    ...session,
  });
  await store.events.accept([record], () => sampleEffects({ session: running }));
  const tail = lines.map(([seconds, fields]) =>
    JSON.stringify({ timestamp: new Date(BEGAN + seconds * 1_000).toISOString(), ...fields }),
  );
  const accepted: HookEvent[] = [];
  const watch = createTurnWatch({
    store,
    async readTail(path) {
      if (meanwhile !== undefined) {
        const changed = sampleEffects({ session: { ...running, ...meanwhile } });
        await store.events.accept([sampleRecord({ agent, kind: 'session.end' })], () => changed);
      }
      return path === '/t.jsonl' ? tail.join('\n') : null;
    },
    decide({ session: before }, one) {
      if (joinWitness(one, before) !== null) return sampleEffects({});
      accepted.push(one);
      return sampleEffects({ session: before && { ...before, state: 'failed' } });
    },
    prepare: (one) => one,
    onCommitted: () => undefined,
    now: () => NOW,
  });
  await watch.look();
  await watch.look();
  return accepted;
}

const codex = (type: string, fields: object = {}) => ({
  type: 'event_msg',
  payload: { type, turn_id: 't', ...fields },
});
const codexFailure = codex('task_complete', { error: { message: 'exceeded retry limit' } });
const copilot = (type: string, data: object, fields: object = {}) => ({
  type,
  id: 'e',
  data,
  ...fields,
});
const copilotFailure = copilot('session.error', { message: '400 No such model' });

describe('createTurnWatch()', () => {
  test('finds the failed turn of Codex, which runs no hook then, once (E2)', async () => {
    const [event, ...more] = await found({
      lines: [
        [0, codex('task_started')],
        [4, codexFailure],
      ],
    });

    const { kind, failed, message, at, sessionKey } = event ?? assert.fail('Nothing was found');
    assert.deepEqual(
      { kind, failed, message, at, sessionKey },
      {
        kind: 'turn.failed',
        failed: true,
        message: 'exceeded retry limit',
        at: BEGAN + 4_000,
        sessionKey: 'codex:s1',
      },
    );
    assert.deepEqual(more, []);
  });

  test('leaves a failure to the end of the session that says it, while the transcript is read', async () => {
    const meanwhile = { state: 'ended' } as const;

    assert.deepEqual(await found({ lines: [[4, codexFailure]], meanwhile }), []);
  });

  test('finds the failed turn of Copilot CLI when it has given up, not while it retries (E4)', async () => {
    const event = { agent: 'copilot' as const };
    const given = await found({ event, lines: [[1, copilotFailure]] });
    const retries = await found({
      event,
      lines: [[1, copilot('assistant.turn_start', {})]],
    });
    const ofSubagent = await found({
      event,
      lines: [[1, { ...copilotFailure, agentId: 'a' }]],
    });

    assert.deepEqual(
      [given, retries, ofSubagent].map((events) => events.map(({ message }) => message)),
      [['400 No such model'], [], []],
    );
  });

  for (const [name, turn] of [
    ['a turn that goes on', { lines: [[0, codex('task_started')]] }],
    ['a turn that succeeded', { lines: [[4, codex('task_complete', { error: null })]] }],
    ['an interrupted turn', { lines: [[4, codex('turn_aborted')]] }],
    ['the failure of an earlier turn', { lines: [[-9, codexFailure]] }],
    ['a turn that a hook reported', { lines: [[4, codexFailure]], session: { state: 'done' } }],
    ['a session of another machine', { lines: [[4, codexFailure]], event: { machine: 'home' } }],
    ['an agent with a hook for it', { lines: [[4, codexFailure]], event: { agent: 'claude' } }],
    ['a missing transcript', { lines: [[4, codexFailure]], event: { transcriptPath: '/no' } }],
  ] as const satisfies readonly (readonly [string, Turn])[]) {
    test(`finds nothing for ${name}`, async () => {
      assert.deepEqual(await found(turn), []);
    });
  }

  test('a session that ends long after its failed turn does not notify again', async () => {
    await using line = await played({
      agent: 'codex',
      sent: [
        [0, 'UserPromptSubmit', { prompt: 'go on' }],
        [30, 'TranscriptFailure', { error: { message: 'exceeded retry limit' } }],
        [900, 'SessionEnd', { reason: 'error' }],
      ],
    });
    const { sent } = line;

    const popUps = sent().filter((one) => one.startsWith('desktop@'));
    assert.equal(popUps.length, 1);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type HookEvent, promptMark, type WakeUp } from '../../src/core/hook-event.ts';
import { pausedText } from '../../src/core/session.ts';
import { decisionRun, samplePolicy, told } from '../support/decisions.ts';
import { inZone } from '../support/in-zone.ts';

/** 14:16 in Berlin. */
const START = Date.UTC(2026, 2, 2, 13, 16);

function wake(cron: string): WakeUp {
  return { cron, prompt: promptMark('check the build') };
}

function at(minutes: number, fields: Partial<HookEvent>): Partial<HookEvent> {
  const time = START + minutes * 60_000;
  return { at: time, receivedAt: time, ...fields };
}

const prompt: Partial<HookEvent> = {
  kind: 'prompt',
  event: 'UserPromptSubmit',
  message: '/loop 15m',
};
const wakeUp: Partial<HookEvent> = {
  kind: 'activity',
  event: 'UserPromptSubmit',
  wokeItself: true,
};
const round: Partial<HookEvent> = {
  kind: 'activity',
  event: 'Stop',
  message: 'Still red',
  wakes: [wake('*/15 * * * *')],
};
const stop: Partial<HookEvent> = { kind: 'turn.done', event: 'Stop', message: 'Green' };

function stateOf(run: ReturnType<typeof decisionRun>): string | null {
  const session = run.session();
  if (session === null) return null;
  const { schedule } = session;
  const until = schedule?.until ?? null;
  return (
    pausedText(
      {
        state: session.state,
        schedule:
          schedule === null
            ? null
            : {
                round: schedule.round,
                until: until === null ? null : new Date(until).toISOString(),
              },
      },
      (iso) => new Date(iso).toTimeString().slice(0, 5),
    ) ?? session.state
  );
}

describe('a session that wakes itself', () => {
  inZone('Europe/Berlin');

  test('is paused until its next round, and rings once, at the end', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));

    const rounds = [1, 15, 30].map((minutes) => {
      if (minutes > 1) run.feed(at(minutes - 0.5, wakeUp));
      return [run.feed(at(minutes, round)).deliveries.length, stateOf(run)];
    });
    run.feed(at(44, wakeUp));
    const working = stateOf(run);
    const over = run.feed(at(44.1, stop));

    assert.deepEqual(rounds, [
      [0, 'paused until 14:30, round 1'],
      [0, 'paused until 14:45, round 2'],
      [0, 'paused until 15:00, round 3'],
    ]);
    assert.equal(working, 'working');
    // Its last round took 6 seconds, but the person waits since the prompt.
    assert.deepEqual(told(over, START + 44.1 * 60_000), ['desktop@0']);
    assert.equal(stateOf(run), 'done');
    assert.equal(run.session()?.schedule, null);
  });

  test('says in the history why the end of a round is silent', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));

    assert.equal(
      run.feed(at(1, round)).decisions.at(-1)?.reason,
      'The session is paused until 2026-03-02T13:30:00.000Z, round 1: no route matches activity',
    );
  });

  test('rings for a round that fails and for one that needs a person, and takes that back when the next begins and ends', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, round));
    run.feed(at(15, wakeUp));
    const asks = run.feed(
      at(16, { kind: 'needs.permission', event: 'PermissionRequest', tool: 'Bash', subject: 'x' }),
    );
    const answered = run.feed(at(17, round));
    run.feed(at(30, wakeUp));
    const failed = run.feed(at(31, { kind: 'turn.failed', event: 'StopFailure' }));
    run.feed(at(45, wakeUp));
    const again = run.feed(at(46, round));

    assert.equal(told(asks, START + 16 * 60_000)[0], 'desktop@0');
    assert.equal(answered.withdraw.length, 1);
    assert.deepEqual(told(failed, START + 31 * 60_000), ['desktop@0']);
    assert.equal(again.withdraw.length, 1);
    assert.equal(stateOf(run), 'paused until 15:15, round 3');
  });

  test('rings for the end of a turn that a person begins between two rounds, and is paused after it', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, round));
    run.feed(at(2, prompt));

    const asked = run.feed(at(3, round));
    run.feed(at(15, wakeUp));
    const next = run.feed(at(16, round));

    assert.deepEqual(told(asked, START + 3 * 60_000), ['desktop@0']);
    assert.deepEqual(next.deliveries, []);
    assert.equal(stateOf(run), 'paused until 14:45, round 3');
  });

  test('knows its own prompts by their text, where the agent does not say who sent them', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, round));
    run.feed(at(15, { kind: 'prompt', event: 'UserPromptSubmit', message: 'check the build' }));

    const second = run.feed(at(16, round));

    assert.deepEqual(second.deliveries, []);
    assert.equal(stateOf(run), 'paused until 14:45, round 2');
  });

  test('is silent when the agent reminds of its prompt while paused', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, round));

    const idle = run.feed(
      at(2, { kind: 'needs.input', event: 'Notification', notificationType: 'idle_prompt' }),
    );

    assert.deepEqual(idle.deliveries, []);
    assert.equal(stateOf(run), 'paused until 14:30, round 1');
  });

  test('rings for each round, however short, if that is wanted', () => {
    const run = decisionRun({ ...samplePolicy, tellsRounds: true });
    run.feed(at(0, prompt));

    const first = run.feed(at(0.1, round));
    run.feed(at(15, wakeUp));
    const second = run.feed(at(15.1, round));

    assert.deepEqual(told(first, START + 0.1 * 60_000), ['desktop@0']);
    assert.deepEqual(told(second, START + 15.1 * 60_000), ['desktop@0']);
    assert.equal(stateOf(run), 'paused until 14:45, round 2');
  });

  test('has an unknown time where a schedule cannot be read, and on a machine in an unknown zone', () => {
    for (const fields of [{ wakes: [wake('*/15 * * * *'), wake('soon')] }, { machine: 'laptop' }]) {
      const run = decisionRun();
      run.feed(at(1, { ...round, ...fields }));
      assert.equal(stateOf(run), 'paused, time unknown, round 1');
    }
  });

  test('is due at a date that passed during its turn, not at the same one of the next year', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(20, { ...round, wakes: [wake('30 14 2 3 *')] }));

    assert.equal(stateOf(run), 'paused until 14:30, round 1');
    assert.equal(run.session()?.schedule?.until, START + 14 * 60_000);
  });

  test('keeps working while it also has work in the background', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, { ...round, backgroundWork: true }));

    assert.equal(stateOf(run), 'working');
  });
});

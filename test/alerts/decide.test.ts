import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import type { Effects } from '../../src/core/store.ts';
import { decisionRun, samplePolicy, sampleStep, told } from '../support/decisions.ts';

const START = 1_700_000_000_000;

/** An event that happens, and is received, this many seconds after the start. */
function at(seconds: number, fields: Partial<HookEvent>): Partial<HookEvent> {
  const time = START + seconds * 1_000;
  return { at: time, receivedAt: time, ...fields };
}

function lastDecision(effects: Effects): string {
  const last = effects.decisions.at(-1);
  return `${last?.stage} ${last?.verdict}`;
}

const prompt: Partial<HookEvent> = { kind: 'prompt', event: 'UserPromptSubmit', message: 'do it' };
const stop: Partial<HookEvent> = { kind: 'turn.done', event: 'Stop', message: 'Done' };
const permission: Partial<HookEvent> = {
  kind: 'needs.permission',
  event: 'PermissionRequest',
  message: null,
  tool: 'Bash',
  subject: 'Bash npm test',
};
const toolDone: Partial<HookEvent> = { kind: 'tool.done', event: 'PostToolUse', tool: 'Bash' };

describe('decide() by default', () => {
  test('notifies immediately when an agent waits, and plans the escalation (acceptance 002)', () => {
    const run = decisionRun();

    const effects = run.feed(at(0, permission));

    assert.deepEqual(told(effects, START), ['desktop@0', 'log@0', 'team@120000']);
    assert.equal(lastDecision(effects), 'plan notify');
    assert.equal(run.session()?.state, 'waiting');
  });

  test('sends the message of an agent once, and nothing that follows withdraws it', () => {
    const run = decisionRun();
    const message = { kind: 'message', event: 'Notification', message: 'Staging is up' } as const;

    run.feed(at(0, prompt));
    const effects = run.feed(at(1, message));
    const next = run.feed(at(2, toolDone));

    assert.equal(told(effects, START + 1_000)[0], 'desktop@0');
    assert.deepEqual([effects.alerts, next.cancel, next.withdraw], [[], [], []]);
    assert.equal(run.session()?.state, 'working');
  });

  test('says of a notification of an unknown type that it counts as a wait', () => {
    const unknown = {
      kind: 'needs.input',
      event: 'Notification',
      notificationType: 'deploy_gate',
      isUnknownType: true,
    } as const;

    const effects = decisionRun().feed(at(0, unknown));

    assert.equal(told(effects, START)[0], 'desktop@0');
    assert.match(
      effects.decisions[0]?.reason ?? '',
      /\(deploy_gate\) means needs\.input: the type is not known, so it is taken for a wait/,
    );
  });

  test('notifies immediately when a turn failed', () => {
    const effects = decisionRun().feed(at(0, { kind: 'turn.failed', event: 'StopFailure' }));

    assert.deepEqual(told(effects, START), ['desktop@0']);
  });

  test('notifies for a session that ends with an error, not for one that just ends (acceptance 007, 008)', () => {
    const end = { kind: 'session.end', event: 'SessionEnd' } as const;

    const failed = decisionRun().feed(at(0, { ...end, reason: 'error', failed: true }));
    const plain = decisionRun().feed(at(0, { ...end, reason: 'other' }));

    assert.deepEqual(told(failed, START), ['desktop@0']);
    assert.deepEqual(plain.deliveries, []);
    assert.equal(lastDecision(plain), 'route stop');
  });

  test('is silent for a turn of 20 s and notifies for a longer one', () => {
    const run = decisionRun();

    run.feed(at(0, prompt));
    const short = run.feed(at(20, stop));
    run.feed(at(30, prompt));
    const long = run.feed(at(51, stop));

    assert.deepEqual(short.deliveries, []);
    assert.match(short.decisions.at(-1)?.reason ?? '', /turn of 20 s/);
    assert.deepEqual(told(long, START + 51_000), ['desktop@0']);
    assert.deepEqual([short.turnMs, long.turnMs], [20_000, 21_000]);
  });

  test('notifies for a turn whose beginning was not seen', () => {
    const effects = decisionRun().feed(at(0, stop));

    assert.deepEqual(told(effects, START), ['desktop@0']);
  });

  test('counts the turn from its first tool call where no prompt event is registered', () => {
    const run = decisionRun();

    run.feed(at(0, toolDone));
    const effects = run.feed(at(5, stop));

    assert.deepEqual(effects.deliveries, []);
    assert.equal(run.session()?.lastTurnMs, 5_000);
  });

  test('is silent for subagents, tool calls, prompts and unknown events, with a decision each (acceptance 005, 010, 017)', () => {
    for (const kind of ['subagent.done', 'tool.done', 'prompt', 'activity'] as const) {
      const effects = decisionRun().feed(at(0, { kind }));

      assert.deepEqual(effects.deliveries, [], kind);
      assert.equal(lastDecision(effects), 'route stop', kind);
    }
  });
});

describe('decide() and repeats', () => {
  test('does not notify for idle_prompt after a Stop that notified', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(60, stop));

    const idle = run.feed(at(120, { kind: 'needs.input', notificationType: 'idle_prompt' }));

    assert.deepEqual(idle.deliveries, []);
    assert.equal(lastDecision(idle), 'route stop');
    assert.equal(run.session()?.state, 'done');
  });

  test('does not notify for idle_prompt after a Stop that was too short to notify (E20, E22)', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(5, stop));

    const idle = run.feed(at(65, { kind: 'needs.input', notificationType: 'idle_prompt' }));

    assert.deepEqual(idle.deliveries, []);
    assert.equal(run.session()?.state, 'done');
  });

  test('takes a second end of a turn for a repeat after an interruption, and from agents that send two', () => {
    const interrupted = { ...stop, kind: 'turn.interrupted' } as const;
    const rows = [
      ['claude', stop, 5, 'turn.done'],
      ['claude', interrupted, 5, 'activity'],
      ['claude', interrupted, 11, 'turn.done'],
      ['kilo', stop, 5, 'activity'],
    ] as const;
    for (const [agent, first, seconds, kind] of rows) {
      const run = decisionRun();
      const own = { agent, sessionKey: `${agent}:s1` } as const;
      run.feed(at(0, { ...own, ...prompt }));
      run.feed(at(60, { ...own, ...first }));

      const { event } = run.feed(at(60 + seconds, { ...own, ...stop, subject: 'a request' }));

      assert.equal(event?.kind, kind, agent);
      assert.equal(event.subject, kind === 'activity' ? null : 'a request');
    }
  });

  test('notifies for idle_prompt after a Stop that left work in the background', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    const paused = run.feed(at(60, { kind: 'activity', event: 'Stop', backgroundWork: true }));

    const idle = run.feed(at(120, { kind: 'needs.input', notificationType: 'idle_prompt' }));

    assert.deepEqual(paused.deliveries, []);
    assert.equal(run.session()?.state, 'waiting');
    assert.equal(told(idle, START + 120_000)[0], 'desktop@0');
  });

  test('times a turn that a background task goes on with from its prompt, other turns from their start (E12)', () => {
    for (const [reportsTask, rings] of [
      [true, true],
      [undefined, false],
    ] as const) {
      const run = decisionRun();
      run.feed(at(0, prompt));
      run.feed(at(2, stop));
      run.feed(
        at(90, {
          kind: 'activity',
          event: 'UserPromptSubmit',
          ...(reportsTask && { reportsTask }),
        }),
      );

      const over = run.feed(
        at(92, { ...stop, duplicate: { key: 'the second stop', windowMs: null } }),
      );

      assert.equal(over.deliveries.length > 0, rings);
      assert.equal(run.session()?.lastTurnMs, rings ? 92_000 : 2_000);
    }
  });

  test('takes the text of droid for an idle reminder where no type is sent', () => {
    const run = decisionRun();
    const droid = { agent: 'droid', sessionKey: 'droid:s1' } as const;
    run.feed(at(0, { ...droid, ...stop }));

    const idle = run.feed(
      at(60, { ...droid, kind: 'needs.input', message: 'Droid is waiting for your input' }),
    );

    assert.deepEqual(idle.deliveries, []);
    assert.equal(lastDecision(idle), 'route stop');
  });

  test('does not notify for the permission_prompt that follows a PermissionRequest', () => {
    const run = decisionRun();
    run.feed(at(0, permission));

    const late = run.feed(
      at(6, {
        kind: 'needs.permission',
        notificationType: 'permission_prompt',
        message: 'Claude needs your permission',
        subject: 'Claude needs your permission',
      }),
    );

    assert.deepEqual(late.deliveries, []);
    assert.equal(lastDecision(late), 'repeat stop');
  });

  test('notifies for a second, different request, and not for the same one', () => {
    const run = decisionRun();
    run.feed(at(0, permission));

    const same = run.feed(at(1, permission));
    const other = run.feed(at(2, { ...permission, subject: 'Bash rm -r build' }));

    assert.equal(lastDecision(same), 'repeat stop');
    assert.equal(told(other, START + 2_000)[0], 'desktop@0');
  });

  test('notifies for the same question asked again after an answer', () => {
    const run = decisionRun();
    run.feed(at(0, permission));
    run.feed(at(10, toolDone));

    const again = run.feed(at(20, permission));

    assert.equal(told(again, START + 20_000)[0], 'desktop@0');
  });

  test('notifies for every event without a session id: they cannot be distinguished', () => {
    const run = decisionRun();
    const byHand = { agent: 'unknown', sessionId: null, sessionKey: 'unknown:at:' } as const;
    const fields = { ...byHand, message: 'Test', subject: 'Test' };
    run.feed(at(0, fields));

    const second = run.feed(at(1, fields));

    assert.equal(told(second, START + 1_000)[0], 'desktop@0');
  });

  test('stops an event sent twice and leaves the session alone (fault 44)', () => {
    const run = decisionRun();
    run.feed(at(0, permission));

    const effects = run.feed(at(0.1, permission), { duplicateOf: 'event-1' });

    assert.equal(effects.session, null);
    assert.equal(lastDecision(effects), 'classify stop');
  });
});

describe('decide() and the life of an alert', () => {
  test('a sign of life resolves the alert and cancels unsent messages to people', () => {
    for (const kind of [
      'prompt',
      'tool.done',
      'turn.done',
      'turn.failed',
      'session.end',
    ] as const) {
      const run = decisionRun();
      run.feed(at(0, permission));

      const effects = run.feed(at(5, { kind, event: kind }));

      assert.equal(effects.alerts[0]?.state, 'resolved', kind);
      assert.equal(effects.cancel[0]?.fromStep, 0, kind);
      assert.deepEqual(effects.cancel[0]?.exceptChannels, ['log'], kind);
    }
  });

  test('an event that happened before the question, but arrives later, does not resolve it', () => {
    const run = decisionRun();
    run.feed(at(10, permission));

    const late = run.feed({ ...at(9, toolDone), receivedAt: START + 11_000 });

    assert.deepEqual(late.alerts, []);
    assert.equal(run.session()?.state, 'waiting');
  });

  test('a tool call of a subagent does not answer the question', () => {
    const run = decisionRun();
    run.feed(at(0, permission));

    const effects = run.feed(at(5, { ...toolDone, subagent: true }));

    assert.deepEqual(effects.alerts, []);
    assert.equal(run.session()?.state, 'waiting');
  });

  test('a newer reason supersedes: one live alert, only the later steps of the old one are cancelled', () => {
    const run = decisionRun();
    run.feed(at(0, permission));
    const first = run.liveAlert();

    const effects = run.feed(
      at(5, { kind: 'needs.input', message: 'Which one?', subject: 'Which one?' }),
    );

    assert.equal(effects.alerts.length, 2);
    assert.equal(effects.alerts[0]?.id, first?.id);
    assert.equal(effects.alerts[0]?.state, 'resolved');
    assert.equal(effects.cancel[0]?.fromStep, 1);
    assert.equal(run.liveAlert()?.kind, 'needs.input');
  });

  test('an older reason that arrives late keeps the newer alert, and is sent immediately without later steps', () => {
    const run = decisionRun();
    run.feed(at(10, permission));
    const newer = run.liveAlert();

    const late = run.feed(at(9, { ...permission, subject: 'Bash rm -r build' }));

    assert.deepEqual(run.liveAlert(), newer);
    assert.deepEqual([late.alerts, late.cancel], [[], []]);
    assert.deepEqual(told(late, START + 9_000), ['desktop@0', 'log@0']);
    assert.ok(late.deliveries.every(({ alertId }) => alertId === newer?.id));
    assert.match(late.decisions.at(-1)?.reason ?? '', /^Joins the newer alert of event /);
  });

  test('a turn that ended before the question was asked, and is known later, does not take its place', () => {
    const run = decisionRun();
    run.feed(at(10, permission));

    run.feed({ ...at(9, stop), receivedAt: START + 11_000 });

    assert.equal(run.liveAlert()?.kind, 'needs.permission');
  });

  test('an older reason whose plan has later steps only is left to the newer alert, with a decision', () => {
    const later = { name: 'escalate', steps: [sampleStep(['team'], { afterMs: 60_000 })] };
    const run = decisionRun({ ...samplePolicy, plans: { ...samplePolicy.plans, escalate: later } });
    run.feed(at(10, permission));

    const late = run.feed(at(9, { ...permission, subject: 'Bash rm -r build' }));

    assert.deepEqual(late.deliveries, []);
    assert.equal(lastDecision(late), 'plan stop');
  });

  test('compaction neither resolves the alert nor resets the session', () => {
    const run = decisionRun();
    run.feed(at(0, prompt));
    run.feed(at(1, permission));

    const effects = run.feed(at(2, { kind: 'session.start', source: 'compact' }));

    assert.deepEqual(effects.alerts, []);
    assert.equal(run.session()?.state, 'waiting');
    assert.equal(run.session()?.turnStartedAt, START);
  });

  test('the alert keeps the plan as it was when it opened', () => {
    const run = decisionRun();

    run.feed(at(0, permission));

    assert.deepEqual(run.liveAlert()?.plan, samplePolicy.plans['escalate']);
  });
});

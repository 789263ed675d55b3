import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy } from '../../src/core/policy.ts';
import { escalating, samplePolicy } from '../support/decisions.ts';
import {
  START,
  failure,
  idle,
  permission,
  prompt,
  stop,
  timeline,
  toolDone,
} from '../support/timeline.ts';

function withSteps(steps: Policy['plans'][string]['steps']): Policy {
  return { ...escalating, plans: { ...escalating.plans, escalate: { name: 'escalate', steps } } };
}

describe('an alert escalates until a person reacts', () => {
  test('desktop immediately, team after 2 min, mail after 10 min, then silence', () => {
    const { at, want, wantNone } = timeline(escalating);

    at(0, permission('npm test'));

    want(0, 0, 'desktop');
    want(1, 120, 'team');
    want(121, 600, 'mail');
    wantNone(601, 7_200);
  });

  test('an answer before a step cancels it and all later ones', () => {
    for (const answer of [prompt(), toolDone(), stop()]) {
      const { at, want, wantNone } = timeline(escalating);

      at(0, permission('npm test'));
      at(119, answer);

      want(0, 0, 'desktop');
      wantNone(1, 7_200, 'team');
      wantNone(1, 7_200, 'mail');
    }
  });

  test('an answer after a step leaves the ones after it out', () => {
    const { at, want, wantNone } = timeline(escalating);

    at(0, permission('npm test'));
    at(130, toolDone());

    want(1, 130, 'team');
    wantNone(131, 7_200, 'mail');
  });

  test('"seen" stops the escalation, and the alert stays until the session goes on', () => {
    const { at, acknowledge, wantNone, simulation } = timeline(escalating);

    at(0, permission('npm test'));
    acknowledge(30);

    wantNone(31, 7_200);
    assert.equal(simulation.liveAlerts()[0]?.state, 'acknowledged');
    at(7_201, toolDone());
    assert.deepEqual(simulation.liveAlerts(), []);
  });

  test('a late question older than an acknowledged alert is sent only to program channels', () => {
    const { at, acknowledge, want, wantNone, simulation } = timeline(samplePolicy);

    at(10, permission('npm test'));
    acknowledge(20);
    at(30, { ...permission('rm -r build'), id: 'late', at: START + 5_000 });
    at(31, { ...failure(), id: 'later', at: START + 5_000 });

    want(21, 7_200, 'log');
    wantNone(21, 7_200, 'desktop');
    wantNone(21, 7_200, 'team');
    const [known, later] = ['late', 'later'].map((id) => simulation.decisions(id).at(-1));
    assert.match(
      known?.reason ?? '',
      /^Joins the newer alert .* so only program channels are notified$/,
    );
    assert.match(later?.reason ?? '', /^Left to the newer alert .*: that was acknowledged$/);
    assert.equal(later?.verdict, 'stop');
  });

  test('an alert without a reaction expires', () => {
    const { at, simulation } = timeline({ ...escalating, expireAfterMs: 3_600_000 });

    at(0, permission('npm test'));
    simulation.advanceTo(START + 3_600_000);

    assert.deepEqual(simulation.liveAlerts(), []);
  });

  test('a running alert keeps its plan when the policy changes (fault 48)', () => {
    const { at, simulation } = timeline(escalating);

    at(0, permission('npm test'));

    assert.equal(simulation.liveAlerts()[0]?.plan.steps.length, 3);
  });
});

describe('one live alert per session', () => {
  test('a second, different prompt rings again and restarts the escalation; the same one does neither', () => {
    const { at, told, simulation } = timeline(escalating);

    at(0, permission('npm test'));
    at(10, permission('npm test'));
    at(60, permission('rm -r build'));
    simulation.advanceTo(START + 200_000);

    assert.deepEqual(told(), ['desktop@0', 'desktop@60', 'team@180']);
    assert.equal(simulation.liveAlerts().length, 1);
  });

  test('sessions escalate each for itself', () => {
    const { at, told, simulation } = timeline(escalating);

    at(0, permission('a', 's1'));
    at(10, permission('b', 's2'));
    at(60, toolDone('s1'));
    simulation.advanceTo(START + 300_000);

    assert.deepEqual(told(), ['desktop@0', 'desktop@10', 'team@130']);
  });

  test('the reminder a minute after a finished turn does not ring again', () => {
    const { at, told } = timeline(escalating);

    at(0, prompt());
    at(60, stop());
    at(120, idle());

    assert.deepEqual(told(), ['desktop@60']);
  });
});

describe('steps', () => {
  test('a step with repeat is repeated until a person reacts, up to its limit', () => {
    const policy = withSteps([
      {
        afterMs: 0,
        notify: ['desktop'],
        repeat: { everyMs: 60_000, atMost: 3 },
        condition: null,
      },
    ]);
    const ignored = timeline(policy);
    ignored.at(0, permission('x'));
    ignored.simulation.finish();

    const answered = timeline(policy);
    answered.at(0, permission('x'));
    answered.at(70, toolDone());
    answered.simulation.finish();

    assert.deepEqual(ignored.told(), ['desktop@0', 'desktop@60', 'desktop@120']);
    assert.deepEqual(answered.told(), ['desktop@0', 'desktop@60']);
  });

  test('steps that are due together after a suspension are done once, the last of them (fault 27)', () => {
    const { at, told, simulation } = timeline(escalating);

    at(0, permission('x'));
    // The machine slept: nothing looked at the clock in between.
    simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(told(), ['desktop@0', 'mail@3600']);
  });

  test('a step whose presence condition does not hold is left out, and an unknown one holds', () => {
    const condition = { presence: 'away' as const };
    const policy = withSteps([
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 60_000, notify: ['team'], repeat: null, condition },
    ]);
    const here = timeline(policy, () => ({ isPresent: true, watching: null }));
    here.at(0, permission('x'));
    here.simulation.finish();
    const unknown = timeline(policy);
    unknown.at(0, permission('x'));
    unknown.simulation.finish();

    assert.deepEqual(here.told(), ['desktop@0']);
    assert.deepEqual(unknown.told(), ['desktop@0', 'team@60']);
  });

  test('an alert that opens and ends within the flap time never reaches a later step, however short its delay', () => {
    const policy = {
      ...withSteps([
        { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
        { afterMs: 1_000, notify: ['team'], repeat: null, condition: null },
      ]),
      noise: { ...samplePolicy.noise, flapMs: 10_000 },
    };
    const { at, wantNone } = timeline(policy);

    for (let second = 0; second < 100; second += 10) {
      at(second, permission(`prompt ${second}`));
      at(second + 5, toolDone());
    }

    wantNone(0, 7_200, 'team');
  });
});

describe('quiet hours', () => {
  const night = {
    from: 22 * 60,
    to: 7 * 60 + 30,
    timezone: 'UTC',
    days: null,
    letThrough: ['turn.failed'],
    meanwhile: { type: 'hold' },
  } as const;
  // The timeline starts at noon.
  const tenPm = 10 * 3_600;
  const morning = 19 * 3_600 + 1_800;

  test('hold: requests still unanswered in the morning are sent in one message, oldest first', () => {
    const { at, want, wantNone } = timeline({ ...escalating, quietHours: [night] });

    at(tenPm + 60, permission('a', 's1'));
    at(tenPm + 120, permission('b', 's2'));
    at(tenPm + 180, permission('c', 's3'));
    at(tenPm + 240, toolDone('s2'));

    wantNone(tenPm, morning - 1, 'desktop');
    const told = want(morning, morning + 60, 'desktop');
    assert.equal(told.sessionId, 's1');
    assert.equal(told.also.length, 1);
  });

  test('hold: a step due in the night, and again the next night, is sent on the second morning', () => {
    const [first, second] = [
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 15 * 3_600_000, notify: ['mail'], repeat: null, condition: null },
    ];
    const { at, told, simulation } = timeline({
      ...withSteps([first, second]),
      quietHours: [night],
      expireAfterMs: 7 * 86_400_000,
    });

    at(0, permission('a'));
    simulation.finish();

    assert.deepEqual(told(), ['desktop@0', `mail@${morning + 86_400}`]);
  });

  test('what is let through rings in the night', () => {
    const { at, want } = timeline({ ...escalating, quietHours: [night] });

    at(tenPm + 60, failure());

    want(tenPm + 60, tenPm + 60, 'desktop');
  });

  test('discard: not sent, with a decision', () => {
    const policy = {
      ...escalating,
      quietHours: [{ ...night, meanwhile: { type: 'discard' as const } }],
    };
    const { at, wantNone, simulation } = timeline(policy);

    at(tenPm + 60, { ...permission('a'), id: 'discarded' });

    wantNone(tenPm, morning + 86_400);
    assert.match(
      simulation
        .decisions('discarded')
        .map(({ reason }) => reason)
        .join('\n'),
      /Quiet hours: "desktop" is not notified/,
    );
  });

  test('channels: sent there instead', () => {
    const meanwhile = { type: 'channels' as const, channels: ['log'] };
    const { at, told } = timeline({ ...escalating, quietHours: [{ ...night, meanwhile }] });

    at(tenPm + 60, permission('a'));

    assert.deepEqual(told(), [`log@${tenPm + 60}`]);
  });
});

describe('noise', () => {
  const bursty: Policy = {
    ...escalating,
    noise: { ...samplePolicy.noise, burst: { atOnce: 2, windowMs: 30_000 } },
  };

  test('the first of a burst notify immediately, the rest in one message when the window is over', () => {
    const { at, want, wantNone } = timeline(bursty);

    for (let number = 0; number < 14; number += 1) at(number, permission('x', `s${number}`));

    want(0, 0, 'desktop');
    want(1, 1, 'desktop');
    wantNone(2, 29, 'desktop');
    assert.equal(want(30, 60, 'desktop').also.length, 11);
  });

  test('channels that serve machines get every one', () => {
    const { at, told } = timeline({
      ...bursty,
      routes: [{ name: 'all', match: {}, plan: 'log', also: false }],
      plans: {
        log: {
          name: 'log',
          steps: [{ afterMs: 0, notify: ['log'], repeat: null, condition: null }],
        },
      },
    });

    for (let number = 0; number < 20; number += 1) at(0, permission('x', `s${number}`));

    assert.equal(told().length, 20);
  });

  test('beyond the budget of a session nothing is lost: it is sent together when there is room', () => {
    const { at, told, simulation } = timeline({
      ...escalating,
      noise: { ...samplePolicy.noise, perSessionAnHour: 2 },
      plans: {
        ...escalating.plans,
        escalate: {
          name: 'escalate',
          steps: [{ afterMs: 0, notify: ['desktop'], repeat: null, condition: null }],
        },
      },
    });

    at(0, permission('a'));
    at(100, permission('b'));
    at(200, permission('c'));
    simulation.finish();

    assert.deepEqual(told(), ['desktop@0', 'desktop@100', 'desktop@3600']);
  });
});

describe('mutes', () => {
  const mute = {
    id: 'm',
    createdAt: START,
    sessionKey: null,
    project: null,
    agent: null,
    channel: null,
    kind: null,
  };

  test('held messages are sent when the mute is over, unless answered (fault 49)', () => {
    const { at, told, simulation } = timeline(escalating);
    simulation.mute({ ...mute, until: START + 60_000 });

    at(0, permission('a', 's1'));
    at(10, permission('b', 's2'));
    at(20, toolDone('s1'));
    simulation.advanceTo(START + 61_000);

    assert.deepEqual(told(), ['desktop@60']);
  });

  test('a mute without an end holds what waits for an answer (B2)', () => {
    const { at, told, simulation } = timeline(escalating);
    simulation.mute({ ...mute, until: null });

    at(0, { ...permission('a', 's1'), id: 'asked' });
    simulation.advanceTo(START + 600_000);

    assert.deepEqual(told(), []);
    const held = simulation.decisions('asked').filter(({ verdict }) => verdict === 'note');
    assert.ok(held.some(({ reason }) => reason === '"desktop" is muted until you unmute it: held'));
    assert.ok(held.some(({ reason }) => reason === '"team" is muted until you unmute it: held'));
  });

  test('a mute of one project leaves the others alone', () => {
    const { at, told, simulation } = timeline(escalating);
    simulation.mute({ ...mute, project: 'shop', until: null });

    at(0, { ...permission('a', 's1'), project: 'shop' });
    at(1, { ...permission('b', 's2'), project: 'blog' });

    assert.deepEqual(told(), ['desktop@1']);
  });
});

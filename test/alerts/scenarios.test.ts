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
  test('desktop immediately, team after 2 min, mail after 10 min, then silence', async () => {
    await using line = await timeline(escalating);
    const { at, want, wantNone } = line;

    await at(0, permission('npm test'));

    await want(0, 0, 'desktop');
    await want(1, 120, 'team');
    await want(121, 600, 'mail');
    await wantNone(601, 7_200);
  });

  test('an answer before a step cancels it and all later ones', async () => {
    for (const answer of [prompt(), toolDone(), stop()]) {
      await using line = await timeline(escalating);
      const { at, want, wantNone } = line;

      await at(0, permission('npm test'));
      await at(119, answer);

      await want(0, 0, 'desktop');
      await wantNone(1, 7_200, 'team');
      await wantNone(1, 7_200, 'mail');
    }
  });

  test('an answer after a step leaves the ones after it out', async () => {
    await using line = await timeline(escalating);
    const { at, want, wantNone } = line;

    await at(0, permission('npm test'));
    await at(130, toolDone());

    await want(1, 130, 'team');
    await wantNone(131, 7_200, 'mail');
  });

  test('"seen" stops the escalation, and the alert stays until the session goes on', async () => {
    await using line = await timeline(escalating);
    const { at, acknowledge, wantNone, simulation } = line;

    await at(0, permission('npm test'));
    await acknowledge(30);

    await wantNone(31, 7_200);
    assert.equal((await simulation.liveAlerts())[0]?.state, 'acknowledged');
    await at(7_201, toolDone());
    assert.deepEqual(await simulation.liveAlerts(), []);
  });

  test('a late question older than an acknowledged alert is sent only to program channels', async () => {
    await using line = await timeline(samplePolicy);
    const { at, acknowledge, want, wantNone, simulation } = line;

    await at(10, permission('npm test'));
    await acknowledge(20);
    await at(30, { ...permission('rm -r build'), id: 'late', at: START + 5_000 });
    await at(31, { ...failure(), id: 'later', at: START + 5_000 });

    await want(21, 7_200, 'log');
    await wantNone(21, 7_200, 'desktop');
    await wantNone(21, 7_200, 'team');
    const joined = (await simulation.decisions('late')).at(-1);
    const later = (await simulation.decisions('later')).at(-1);
    assert.match(
      joined?.reason ?? '',
      /^Joins the newer alert .* so only program channels are notified$/,
    );
    assert.match(later?.reason ?? '', /^Left to the newer alert .*: that was acknowledged$/);
    assert.equal(later?.verdict, 'stop');
  });

  test('an alert without a reaction expires', async () => {
    await using line = await timeline({ ...escalating, expireAfterMs: 3_600_000 });
    const { at, simulation } = line;

    await at(0, permission('npm test'));
    await simulation.advanceTo(START + 3_600_000);

    assert.deepEqual(await simulation.liveAlerts(), []);
  });

  test('a running alert keeps its plan when the policy changes (fault 48)', async () => {
    await using line = await timeline(escalating);
    const { at, simulation } = line;

    await at(0, permission('npm test'));

    assert.equal((await simulation.liveAlerts())[0]?.plan.steps.length, 3);
  });
});

describe('one live alert per session', () => {
  test('a second, different prompt notifies again and restarts the escalation; the same one does neither', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;

    await at(0, permission('npm test'));
    await at(10, permission('npm test'));
    await at(60, permission('rm -r build'));
    await simulation.advanceTo(START + 200_000);

    assert.deepEqual(sent(), ['desktop@0', 'desktop@60', 'team@180']);
    assert.equal((await simulation.liveAlerts()).length, 1);
  });

  test('sessions escalate each for itself', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;

    await at(0, permission('a', 's1'));
    await at(10, permission('b', 's2'));
    await at(60, toolDone('s1'));
    await simulation.advanceTo(START + 300_000);

    assert.deepEqual(sent(), ['desktop@0', 'desktop@10', 'team@130']);
  });

  test('the reminder a minute after a finished turn does not notify again', async () => {
    await using line = await timeline(escalating);
    const { at, sent } = line;

    await at(0, prompt());
    await at(60, stop());
    await at(120, idle());

    assert.deepEqual(sent(), ['desktop@60']);
  });
});

describe('steps', () => {
  test('a step with repeat is repeated until a person reacts, up to its limit', async () => {
    const policy = withSteps([
      {
        afterMs: 0,
        notify: ['desktop'],
        repeat: { everyMs: 60_000, atMost: 3 },
        condition: null,
      },
    ]);
    await using ignored = await timeline(policy);
    await ignored.at(0, permission('x'));
    await ignored.simulation.finish();

    await using answered = await timeline(policy);
    await answered.at(0, permission('x'));
    await answered.at(70, toolDone());
    await answered.simulation.finish();

    assert.deepEqual(ignored.sent(), ['desktop@0', 'desktop@60', 'desktop@120']);
    assert.deepEqual(answered.sent(), ['desktop@0', 'desktop@60']);
  });

  test('steps that are due together after a suspension are done once, the last of them (fault 27)', async () => {
    await using line = await timeline(escalating);
    const { at, sent, simulation } = line;

    await at(0, permission('x'));
    // The machine slept: nothing looked at the clock in between.
    await simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(sent(), ['desktop@0', 'mail@3600']);
  });

  test('a step whose presence condition does not hold is left out, and an unknown one holds', async () => {
    const condition = { presence: 'away' as const };
    const policy = withSteps([
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 60_000, notify: ['team'], repeat: null, condition },
    ]);
    await using here = await timeline(policy, () => ({ isPresent: true, watching: null }));
    await here.at(0, permission('x'));
    await here.simulation.finish();
    await using unknown = await timeline(policy);
    await unknown.at(0, permission('x'));
    await unknown.simulation.finish();

    assert.deepEqual(here.sent(), ['desktop@0']);
    assert.deepEqual(unknown.sent(), ['desktop@0', 'team@60']);
  });

  test('an alert that opens and ends within the flap time never reaches a later step, however short its delay', async () => {
    const policy = {
      ...withSteps([
        { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
        { afterMs: 1_000, notify: ['team'], repeat: null, condition: null },
      ]),
      noise: { ...samplePolicy.noise, flapMs: 10_000 },
    };
    await using line = await timeline(policy);
    const { at, wantNone } = line;

    for (let second = 0; second < 100; second += 10) {
      await at(second, permission(`prompt ${second}`));
      await at(second + 5, toolDone());
    }

    await wantNone(0, 7_200, 'team');
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

  test('hold: requests still unanswered in the morning are sent in one message, oldest first', async () => {
    await using line = await timeline({ ...escalating, quietHours: [night] });
    const { at, want, wantNone } = line;

    await at(tenPm + 60, permission('a', 's1'));
    await at(tenPm + 120, permission('b', 's2'));
    await at(tenPm + 180, permission('c', 's3'));
    await at(tenPm + 240, toolDone('s2'));

    await wantNone(tenPm, morning - 1, 'desktop');
    const told = await want(morning, morning + 60, 'desktop');
    assert.equal(told.sessionId, 's1');
    assert.equal(told.also.length, 1);
  });

  test('hold: a step due in the night, and again the next night, is sent on the second morning', async () => {
    const [first, second] = [
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 15 * 3_600_000, notify: ['mail'], repeat: null, condition: null },
    ];
    await using line = await timeline({
      ...withSteps([first, second]),
      quietHours: [night],
      expireAfterMs: 7 * 86_400_000,
    });
    const { at, sent, simulation } = line;

    await at(0, permission('a'));
    await simulation.finish();

    assert.deepEqual(sent(), ['desktop@0', `mail@${morning + 86_400}`]);
  });

  test('an event that is let through notifies in the night', async () => {
    await using line = await timeline({ ...escalating, quietHours: [night] });
    const { at, want } = line;

    await at(tenPm + 60, failure());

    await want(tenPm + 60, tenPm + 60, 'desktop');
  });

  test('discard: not sent, with a decision', async () => {
    const policy = {
      ...escalating,
      quietHours: [{ ...night, meanwhile: { type: 'discard' as const } }],
    };
    await using line = await timeline(policy);
    const { at, wantNone, simulation } = line;

    await at(tenPm + 60, { ...permission('a'), id: 'discarded' });

    await wantNone(tenPm, morning + 86_400);
    assert.match(
      (await simulation.decisions('discarded')).map(({ reason }) => reason).join('\n'),
      /Quiet hours: "desktop" is not notified/,
    );
  });

  test('channels: sent there instead', async () => {
    const meanwhile = { type: 'channels' as const, channels: ['log'] };
    await using line = await timeline({ ...escalating, quietHours: [{ ...night, meanwhile }] });
    const { at, sent } = line;

    await at(tenPm + 60, permission('a'));

    assert.deepEqual(sent(), [`log@${tenPm + 60}`]);
  });
});

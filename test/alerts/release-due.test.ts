import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy, Presence, Step, StepCondition } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleMute } from '../support/sample.ts';
import { permission, START, timeline } from '../support/timeline.ts';

function withSteps(...steps: readonly Step[]): Policy {
  const escalate = { name: 'escalate', steps };
  return { ...samplePolicy, plans: { ...samplePolicy.plans, escalate } };
}

function away(): Presence {
  return { isPresent: false, watching: null };
}

describe('releaseDue() after a suspension', () => {
  const unmet: readonly (readonly [string, StepCondition])[] = [
    ['presence', { presence: 'here' }],
    ['attended', { attended: false }],
    ['hours', { hours: { from: 0, to: 1, timezone: 'UTC' } }],
  ];
  for (const [name, condition] of unmet) {
    test(`releaseDue() leaves no step out for a later one whose condition does not hold: ${name}`, () => {
      const policy = withSteps(
        sampleStep(['team'], { afterMs: 60_000 }),
        sampleStep(['mail'], { afterMs: 120_000, condition }),
      );
      const { at, told, simulation } = timeline(policy, away);

      at(0, { ...permission('x'), attended: true });
      simulation.suspendUntil(START + 3_600_000);

      assert.deepEqual(told(), ['team@3600']);
    });
  }

  test('releaseDue() leaves no step out for a later one that is muted', () => {
    const policy = withSteps(
      sampleStep(['team'], { afterMs: 60_000 }),
      sampleStep(['mail'], { afterMs: 120_000 }),
    );
    const { at, told, simulation } = timeline(policy);
    simulation.mute(sampleMute({ channel: 'mail' }));

    at(0, permission('x'));
    simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(told(), ['team@3600']);
  });

  test('releaseDue() does not skip a step for a later one on program channels only', () => {
    const policy = withSteps(
      sampleStep(['team'], { afterMs: 60_000 }),
      sampleStep(['log'], { afterMs: 120_000 }),
    );
    const { at, told, simulation } = timeline(policy);

    at(0, permission('x'));
    simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(told(), ['team@3600', 'log@3600']);
  });

  test('releaseDue() leaves an earlier step out whichever channel is decided upon first', () => {
    const policy = withSteps(
      sampleStep(['desktop'], { afterMs: 60_000 }),
      sampleStep(['team'], { afterMs: 120_000 }),
      sampleStep(['desktop'], { afterMs: 180_000 }),
    );
    const { at, told, simulation } = timeline(policy);

    at(0, permission('x'));
    simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(told(), ['desktop@3600']);
  });
});

test('releaseDue() does both of two steps that are wanted at the same time', () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } }),
    sampleStep(['mail'], { afterMs: 60_000, condition: { attended: true } }),
  );
  const { at, told, simulation } = timeline(policy, away);

  at(0, { ...permission('x'), attended: true });
  simulation.finish();

  assert.deepEqual(told().toSorted(), ['mail@60', 'team@60']);
});

describe('releaseDue() gathers', () => {
  const bursty: Policy = {
    ...withSteps(sampleStep(['desktop'])),
    noise: { ...samplePolicy.noise, burst: { atOnce: 1, windowMs: 30_000 } },
  };

  test('releaseDue() sends nothing about a session muted meanwhile, not even in a combined message (fault 49)', () => {
    const { at, want, simulation } = timeline(bursty);

    for (const session of ['s0', 's1', 's2', 's3']) at(0, permission('x', session));
    simulation.mute(sampleMute({ sessionKey: 'claude:s2' }));
    simulation.finish();

    want(0, 0, 'desktop');
    const { sessionId, also } = want(1, 60, 'desktop');
    assert.deepEqual([sessionId, also.length], ['s1', 1]);
  });

  test('releaseDue() names an event once in a message, however often its step was repeated meanwhile', () => {
    const repeat = { everyMs: 1_000, atMost: 3 };
    const routes = [{ name: 'all', match: {}, plan: 'escalate', also: false }];
    const policy = { ...withSteps(sampleStep(['desktop'], { repeat })), noise: bursty.noise };
    const { at, want } = timeline({ ...policy, routes });

    at(0, { kind: 'session.start', id: 'started' });

    want(0, 0, 'desktop');
    assert.deepEqual(want(1, 60, 'desktop').also, []);
  });
});

test('releaseDue() looks at the condition of a later step of news that opens no alert', () => {
  const whenAway = sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } });
  const routes = [{ name: 'all', match: {}, plan: 'escalate', also: false }];
  const policy = { ...withSteps(sampleStep(['desktop']), whenAway), routes };
  const news = { kind: 'subagent.done' as const };
  const here = timeline(policy, () => ({ isPresent: true, watching: null }));
  here.at(0, news);
  here.simulation.finish();
  const gone = timeline(policy, away);
  gone.at(0, news);
  gone.simulation.finish();

  assert.deepEqual(here.told(), ['desktop@0']);
  assert.deepEqual(gone.told(), ['desktop@0', 'team@60']);
});

test('releaseDue() does both of two steps that the flap time puts off to one moment', () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 1_000 }),
    sampleStep(['mail'], { afterMs: 2_000 }),
  );
  const { at, told, simulation } = timeline({
    ...policy,
    noise: { ...samplePolicy.noise, flapMs: 10_000 },
  });

  at(0, permission('x'));
  simulation.finish();

  assert.deepEqual(told().toSorted(), ['mail@10', 'team@10']);
});

test('releaseDue() counts what it has just released against the budget of the session', () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } }),
    sampleStep(['team'], { afterMs: 60_000, condition: { attended: true } }),
  );
  const { at, told, simulation } = timeline(
    { ...policy, noise: { ...samplePolicy.noise, perSessionAnHour: 1 } },
    away,
  );

  at(0, { ...permission('x'), attended: true });
  simulation.finish();

  assert.deepEqual(told(), ['team@60', 'team@3660']);
});

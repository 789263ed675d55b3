import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Policy, Presence, Step, StepCondition } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleMute } from '../support/sample.ts';
import { failure, permission, START, timeline } from '../support/timeline.ts';

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
    test(`releaseDue() leaves no step out for a later one whose condition does not hold: ${name}`, async () => {
      const policy = withSteps(
        sampleStep(['team'], { afterMs: 60_000 }),
        sampleStep(['mail'], { afterMs: 120_000, condition }),
      );
      await using line = await timeline(policy, away);
      const { at, sent, simulation } = line;

      await at(0, { ...permission('x'), attended: true });
      await simulation.suspendUntil(START + 3_600_000);

      assert.deepEqual(sent(), ['team@3600']);
    });
  }

  test('releaseDue() leaves no step out for a later one that is muted', async () => {
    const policy = withSteps(
      sampleStep(['team'], { afterMs: 60_000 }),
      sampleStep(['mail'], { afterMs: 120_000 }),
    );
    await using line = await timeline(policy);
    const { at, sent, simulation } = line;
    await simulation.mute(sampleMute({ channel: 'mail' }));

    await at(0, permission('x'));
    await simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(sent(), ['team@3600']);
  });

  test('releaseDue() does not skip a step for a later one on program channels only', async () => {
    const policy = withSteps(
      sampleStep(['team'], { afterMs: 60_000 }),
      sampleStep(['log'], { afterMs: 120_000 }),
    );
    await using line = await timeline(policy);
    const { at, sent, simulation } = line;

    await at(0, permission('x'));
    await simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(sent(), ['team@3600', 'log@3600']);
  });

  test('releaseDue() leaves an earlier step out whichever channel is decided upon first', async () => {
    const policy = withSteps(
      sampleStep(['desktop'], { afterMs: 60_000 }),
      sampleStep(['team'], { afterMs: 120_000 }),
      sampleStep(['desktop'], { afterMs: 180_000 }),
    );
    await using line = await timeline(policy);
    const { at, sent, simulation } = line;

    await at(0, permission('x'));
    await simulation.suspendUntil(START + 3_600_000);

    assert.deepEqual(sent(), ['desktop@3600']);
  });
});

test('releaseDue() does both of two steps that are wanted at the same time', async () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } }),
    sampleStep(['mail'], { afterMs: 60_000, condition: { attended: true } }),
  );
  await using line = await timeline(policy, away);
  const { at, sent, simulation } = line;

  await at(0, { ...permission('x'), attended: true });
  await simulation.finish();

  assert.deepEqual(sent().toSorted(), ['mail@60', 'team@60']);
});

describe('releaseDue() gathers', () => {
  const bursty: Policy = {
    ...withSteps(sampleStep(['desktop'])),
    noise: { ...samplePolicy.noise, burst: { atOnce: 1, windowMs: 30_000 } },
  };

  test('releaseDue() sends nothing about a session muted meanwhile, not even in a combined message (fault 49)', async () => {
    await using line = await timeline(bursty);
    const { at, want, simulation } = line;

    for (const session of ['s0', 's1', 's2', 's3']) await at(0, failure(session));
    await simulation.mute(sampleMute({ sessionKey: 'claude:s2' }));
    await simulation.finish();

    await want(0, 0, 'desktop');
    const { sessionId, also } = await want(1, 60, 'desktop');
    assert.deepEqual([sessionId, also.length], ['s1', 1]);
  });

  test('releaseDue() names an event once in a message, however often its step was repeated meanwhile', async () => {
    const repeat = { everyMs: 1_000, atMost: 3 };
    const routes = [{ name: 'all', match: {}, plan: 'escalate', also: false }];
    const policy = { ...withSteps(sampleStep(['desktop'], { repeat })), noise: bursty.noise };
    await using line = await timeline({ ...policy, routes });
    const { at, want } = line;

    await at(0, { kind: 'session.start', id: 'started' });

    await want(0, 0, 'desktop');
    assert.deepEqual((await want(1, 60, 'desktop')).also, []);
  });
});

test('releaseDue() looks at the condition of a later step of news that opens no alert', async () => {
  const whenAway = sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } });
  const routes = [{ name: 'all', match: {}, plan: 'escalate', also: false }];
  const policy = { ...withSteps(sampleStep(['desktop']), whenAway), routes };
  const news = { kind: 'subagent.done' as const };
  await using here = await timeline(policy, () => ({ isPresent: true, watching: null }));
  await here.at(0, news);
  await here.simulation.finish();
  await using gone = await timeline(policy, away);
  await gone.at(0, news);
  await gone.simulation.finish();

  assert.deepEqual(here.sent(), ['desktop@0']);
  assert.deepEqual(gone.sent(), ['desktop@0', 'team@60']);
});

test('releaseDue() does both of two steps that the flap time puts off to one moment', async () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 1_000 }),
    sampleStep(['mail'], { afterMs: 2_000 }),
  );
  await using line = await timeline({
    ...policy,
    noise: { ...samplePolicy.noise, flapMs: 10_000 },
  });
  const { at, sent, simulation } = line;

  await at(0, permission('x'));
  await simulation.finish();

  assert.deepEqual(sent().toSorted(), ['mail@10', 'team@10']);
});

test('releaseDue() counts what it has just released against the budget of the session', async () => {
  const policy = withSteps(
    sampleStep(['team'], { afterMs: 60_000, condition: { presence: 'away' } }),
    sampleStep(['team'], { afterMs: 60_000, condition: { attended: true } }),
  );
  await using line = await timeline(
    { ...policy, noise: { ...samplePolicy.noise, perSessionAnHour: 1 } },
    away,
  );
  const { at, sent, simulation } = line;

  await at(0, { ...permission('x'), attended: true });
  await simulation.finish();

  assert.deepEqual(sent(), ['team@60', 'team@3660']);
});

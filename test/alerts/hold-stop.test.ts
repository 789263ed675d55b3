import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Simulation } from '../../src/alerts/simulate.ts';
import { createSimulation } from '../../src/alerts/simulate.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { HoldStopPolicy, Policy } from '../../src/core/policy.ts';
import type { Running } from '../../src/core/due.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleEvent, sampleMute } from '../support/sample.ts';
import { START, permission, prompt, stop } from '../support/timeline.ts';

const holdStop: HoldStopPolicy = { forMs: 20_000, afterwards: 'tell' };
const everything: Policy = {
  ...samplePolicy,
  plans: { all: { name: 'all', steps: [sampleStep(['desktop', 'log'])] } },
  routes: [{ name: 'all', match: {}, plan: 'all', also: false }],
  holdStop,
};

/** A simulation in which the service says of every session what `runningAt` says, at seconds after the start. */
function run(
  runningAt: (seconds: number) => Running,
  policy: Policy = everything,
): {
  readonly simulation: Simulation;
  readonly asked: number[];
  readonly feed: (seconds: number, fields: Partial<HookEvent>) => string;
  readonly told: () => readonly string[];
} {
  const asked: number[] = [];
  const simulation = createSimulation({
    policy,
    runningOf: (_key, at) => {
      asked.push((at - START) / 1_000);
      return runningAt((at - START) / 1_000);
    },
  });
  return {
    simulation,
    asked,
    feed(seconds, fields) {
      const at = START + seconds * 1_000;
      const event = sampleEvent({ at, receivedAt: at, ...fields });
      simulation.feed(event);
      return event.id;
    },
    told() {
      simulation.advanceTo(START + 60_000);
      return simulation
        .told()
        .map(
          ({ channel, at, stillRunning }) =>
            `${channel}@${(at - START) / 1_000}${stillRunning ? ' still' : ''}`,
        );
    },
  };
}

describe('the end of a turn of a session that still runs', () => {
  test('waits and is looked up again: if done meanwhile, it is sent as done', () => {
    const { feed, told, asked } = run((seconds) => (seconds < 20 ? 'yes' : 'no'));

    feed(0, stop());

    assert.deepEqual(told(), ['desktop@20', 'log@20']);
    assert.deepEqual([...new Set(asked)], [0, 20]);
  });

  test('is sent as still working if it still runs, with a decision for each hold', () => {
    const { feed, told, simulation } = run(() => 'yes');

    const id = feed(0, stop());

    assert.deepEqual(told(), ['desktop@20 still', 'log@20 still']);
    const reasons = simulation.decisions(id).map(({ reason }) => reason);
    for (const wanted of [
      'Checks first whether the session still runs: "desktop"',
      `The session still runs: "desktop" is held until ${new Date(START + 20_000).toISOString()}`,
      '"desktop" is notified that the session still runs',
    ]) {
      assert.ok(reasons.includes(wanted), wanted);
    }
  });

  test('is dropped where the policy wants that, on every channel, and says why', () => {
    const policy: Policy = { ...everything, holdStop: { ...holdStop, afterwards: 'drop' } };
    const { feed, told, simulation } = run(() => 'yes', policy);

    const id = feed(0, stop());

    assert.deepEqual(told(), []);
    assert.deepEqual(
      simulation
        .decisions(id)
        .filter(({ verdict }) => verdict === 'stop')
        .map(({ reason }) => reason),
      [
        '"desktop" is not notified: the session still runs',
        '"log" is not notified: the session still runs',
      ],
    );
  });

  test('is sent to program channels if the machine slept until a later step for people was due as well', () => {
    const steps = [sampleStep(['desktop', 'log']), sampleStep(['desktop'], { afterMs: 60_000 })];
    const policy: Policy = { ...everything, plans: { all: { name: 'all', steps } } };
    const { feed, told, simulation } = run(() => 'unknown', policy);

    feed(0, stop());
    simulation.suspendUntil(START + 3_600_000);

    assert.ok(told().includes('log@3600'), String(told()));
  });

  test('is sent immediately if the service does not know', () => {
    const { feed, told } = run(() => 'unknown');

    feed(0, stop());

    assert.deepEqual(told(), ['desktop@0', 'log@0']);
  });

  test('is forgotten when the person prompts again meanwhile', () => {
    const { feed, told } = run(() => 'yes');

    feed(0, stop());
    feed(5, { ...prompt(), kind: 'prompt' });

    // The prompt is sent immediately; the Stop only to program channels, as the end it was.
    assert.deepEqual(told(), ['desktop@5', 'log@5', 'log@20']);
  });

  test('is kept back by a mute all the same', () => {
    const { feed, told, simulation } = run(() => 'yes');
    simulation.mute(sampleMute({ channel: 'desktop' }));

    feed(0, stop());

    assert.deepEqual(told(), ['log@20 still']);
  });

  test('the service is not asked about a question, a subagent, an unnamed session, or without the policy', () => {
    for (const [fields, policy] of [
      [permission('x'), everything],
      [{ ...stop(), kind: 'subagent.done', subagent: true }, everything],
      [{ ...stop(), sessionId: null }, everything],
      [stop(), { ...everything, holdStop: null }],
    ] as const) {
      const { feed, told } = run(() => 'yes', policy);

      feed(0, fields);

      assert.deepEqual(told(), ['desktop@0', 'log@0']);
    }
  });

  test('a session not asked about yet waits for the next check', () => {
    const answers: (Running | null)[] = [null, 'no', 'no'];
    const simulation = createSimulation({
      policy: everything,
      runningOf: () => answers.shift() ?? null,
    });

    simulation.feed(sampleEvent({ ...stop(), at: START, receivedAt: START }));
    simulation.advanceTo(START);

    // One look for each of the two channels, and another one for that whose first look said nothing.
    assert.deepEqual([answers, simulation.told().length], [[], 2]);
  });
});

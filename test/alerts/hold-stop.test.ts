import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookEvent } from '../../src/core/hook-event.ts';
import type { HoldStopPolicy, Policy } from '../../src/core/policy.ts';
import type { Running } from '../../src/core/due.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleEvent, sampleMute } from '../support/sample.ts';
import { type TestSimulation, testSimulation } from '../support/simulation.ts';
import { START, permission, prompt, stop } from '../support/timeline.ts';

const holdStop: HoldStopPolicy = { forMs: 20_000, afterwards: 'tell' };
const everything: Policy = {
  ...samplePolicy,
  plans: { all: { name: 'all', steps: [sampleStep(['desktop', 'log'])] } },
  routes: [{ name: 'all', match: {}, plan: 'all', also: false }],
  holdStop,
};

interface Run extends AsyncDisposable {
  readonly simulation: TestSimulation;
  /** When the service was asked, s. */
  readonly asked: number[];
  readonly feed: (seconds: number, fields: Partial<HookEvent>) => Promise<string>;
  readonly sent: () => Promise<readonly string[]>;
}

/** A simulation in which the service says of every session what `runningAt` says, at seconds after the start. */
async function run(
  runningAt: (seconds: number) => Running,
  policy: Policy = everything,
): Promise<Run> {
  const asked: number[] = [];
  const simulation = await testSimulation({
    policy,
    runningOf: (_key, at) => {
      asked.push((at - START) / 1_000);
      return runningAt((at - START) / 1_000);
    },
  });
  return {
    simulation,
    asked,
    async feed(seconds, fields) {
      const at = START + seconds * 1_000;
      const event = sampleEvent({ at, receivedAt: at, ...fields });
      await simulation.feed(event);
      return event.id;
    },
    async sent() {
      await simulation.advanceTo(START + 60_000);
      return simulation
        .sent()
        .map(
          ({ channel, at, stillRunning }) =>
            `${channel}@${(at - START) / 1_000}${stillRunning ? ' still' : ''}`,
        );
    },
    [Symbol.asyncDispose]: () => simulation.close(),
  };
}

describe('the end of a turn of a session that still runs', () => {
  test('waits and is looked up again: if done meanwhile, it is sent as done', async () => {
    await using line = await run((seconds) => (seconds < 20 ? 'yes' : 'no'));
    const { feed, sent, asked } = line;

    await feed(0, stop());

    assert.deepEqual(await sent(), ['desktop@20', 'log@20']);
    assert.deepEqual([...new Set(asked)], [0, 20]);
  });

  test('is sent as still working if it still runs, with a decision for each hold', async () => {
    await using line = await run(() => 'yes');
    const { feed, sent, simulation } = line;

    const id = await feed(0, stop());

    assert.deepEqual(await sent(), ['desktop@20 still', 'log@20 still']);
    const reasons = (await simulation.decisions(id)).map(({ reason }) => reason);
    for (const wanted of [
      'Checks first whether the session still runs: "desktop"',
      `The session still runs: "desktop" is held until ${new Date(START + 20_000).toISOString()}`,
      '"desktop" is notified that the session still runs',
    ]) {
      assert.ok(reasons.includes(wanted), wanted);
    }
  });

  test('is dropped where the policy wants that, on every channel, and says why', async () => {
    const policy: Policy = { ...everything, holdStop: { ...holdStop, afterwards: 'drop' } };
    await using line = await run(() => 'yes', policy);
    const { feed, sent, simulation } = line;

    const id = await feed(0, stop());

    assert.deepEqual(await sent(), []);
    assert.deepEqual(
      (await simulation.decisions(id))
        .filter(({ verdict }) => verdict === 'stop')
        .map(({ reason }) => reason),
      [
        '"desktop" is not notified: the session still runs',
        '"log" is not notified: the session still runs',
      ],
    );
  });

  test('is sent to program channels if the machine slept until a later step for people was due as well', async () => {
    const steps = [sampleStep(['desktop', 'log']), sampleStep(['desktop'], { afterMs: 60_000 })];
    const policy: Policy = { ...everything, plans: { all: { name: 'all', steps } } };
    await using line = await run(() => 'unknown', policy);
    const { feed, sent, simulation } = line;

    await feed(0, stop());
    await simulation.suspendUntil(START + 3_600_000);

    assert.ok((await sent()).includes('log@3600'), String(await sent()));
  });

  test('is sent immediately if the service does not know', async () => {
    await using line = await run(() => 'unknown');
    const { feed, sent } = line;

    await feed(0, stop());

    assert.deepEqual(await sent(), ['desktop@0', 'log@0']);
  });

  test('is forgotten when the person prompts again meanwhile', async () => {
    await using line = await run(() => 'yes');
    const { feed, sent } = line;

    await feed(0, stop());
    await feed(5, { ...prompt(), kind: 'prompt' });

    // The prompt is sent immediately; the Stop only to program channels, as the end it was.
    assert.deepEqual(await sent(), ['desktop@5', 'log@5', 'log@20']);
  });

  test('is kept back by a mute all the same', async () => {
    await using line = await run(() => 'yes');
    const { feed, sent, simulation } = line;
    await simulation.mute(sampleMute({ channel: 'desktop' }));

    await feed(0, stop());

    assert.deepEqual(await sent(), ['log@20 still']);
  });

  test('the service is not asked about a question, a subagent, an unnamed session, or without the policy', async () => {
    for (const [fields, policy] of [
      [permission('x'), everything],
      [{ ...stop(), kind: 'subagent.done', subagent: true }, everything],
      [{ ...stop(), sessionId: null }, everything],
      [stop(), { ...everything, holdStop: null }],
    ] as const) {
      await using line = await run(() => 'yes', policy);
      const { feed, sent } = line;

      await feed(0, fields);

      assert.deepEqual(await sent(), ['desktop@0', 'log@0']);
    }
  });

  test('a session not asked about yet waits for the next check', async () => {
    const answers: (Running | null)[] = [null, 'no', 'no'];
    await using simulation = await testSimulation({
      policy: everything,
      runningOf: () => answers.shift() ?? null,
    });

    await simulation.feed(sampleEvent({ ...stop(), at: START, receivedAt: START }));
    await simulation.advanceTo(START);

    // One look for each of the two channels, and a second for the channel whose first look had no result.
    assert.deepEqual([answers, simulation.sent().length], [[], 2]);
  });
});

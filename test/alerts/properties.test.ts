import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import type { Policy } from '../../src/core/policy.ts';
import type { AlertRun } from '../support/alert-run.ts';
import { runAlerts } from '../support/alert-run.ts';
import { arbitraryPolicy } from '../support/arbitrary-policy.ts';
import { arbitraryPresences, arbitraryStream } from '../support/arbitrary-stream.ts';

/** Holds for any stream of events under any policy. */
async function holdsAlways(
  check: (run: AlertRun, policy: Policy) => void | Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      arbitraryPolicy,
      arbitraryStream,
      arbitraryPresences,
      async (policy, stream, presences) => {
        await using run = await runAlerts(policy, stream, presences);
        await check(run, policy);
      },
    ),
    { numRuns: 120 },
  );
}

/** The names that occur more than once. */
function repeated<Item>(items: readonly Item[], name: (item: Item) => string): readonly string[] {
  const names = items.map(name);
  return names.filter((one, index) => names.indexOf(one) !== index);
}

test('a session has one live alert at most', async () => {
  await holdsAlways(async ({ moments }) => {
    for (const { live } of moments) {
      assert.deepEqual(
        repeated(live, ({ sessionKey }) => sessionKey),
        [],
      );
    }
  });
});

test('an alert gives way to a newer one alone', async () => {
  await holdsAlways(async ({ fed }) => {
    for (const { effects } of fed) {
      const [over, opened] = effects.alerts;
      if (over && opened) assert.ok(over.openedAt <= opened.openedAt);
    }
  });
});

test('every live alert has its end ahead, and none is left when nothing else happens', async () => {
  await holdsAlways(async ({ simulation, moments }) => {
    for (const { at, live } of moments) {
      assert.ok(live.every(({ expiresAt }) => expiresAt > at && Number.isFinite(expiresAt)));
    }
    assert.deepEqual(await simulation.liveAlerts(), []);
  });
});

test('people get no more messages of a closed alert, except those that a newer reason left', async () => {
  await holdsAlways(async ({ simulation, fed, seenAt }, { programChannels }) => {
    const over = new Map(seenAt);
    const superseded = new Set<string>();
    for (const { event, effects } of fed) {
      for (const { id, state, expiresAt } of effects.alerts) {
        const end = state === 'open' ? expiresAt : event.receivedAt;
        over.set(id, Math.min(end, over.get(id) ?? end));
      }
      for (const { alertId, fromStep } of effects.cancel) {
        if (fromStep === 1) superseded.add(alertId);
      }
    }
    for (const { alertId, channel, at, step } of simulation.sent()) {
      if (alertId === null || programChannels.includes(channel)) continue;
      const isLeft = superseded.has(alertId) && step === 0;
      assert.ok(isLeft || at <= (over.get(alertId) ?? 0), `"${channel}", step ${step}, at ${at}`);
    }
  });
});

test('every event has a reason why it was sent or not', async () => {
  await holdsAlways(async ({ simulation, fed }) => {
    const told = new Set(simulation.sent().flatMap(({ eventId, also }) => [eventId, ...also]));
    const cancelled = new Set(
      fed.flatMap(({ effects }) => effects.cancel.map(({ alertId }) => alertId)),
    );
    for (const { event, effects } of fed) {
      const last = effects.decisions.at(-1);
      const isToBeTold = effects.decisions.some(({ verdict }) => verdict === 'notify');
      assert.ok(last !== undefined && (last.verdict === 'stop' || isToBeTold));
      assert.ok(isToBeTold || effects.deliveries.length === 0);

      const all = await simulation.decisions(event.id);
      const isAnswered = effects.alerts.some(({ id }) => cancelled.has(id));
      const isStopped =
        all.some(({ verdict }) => verdict === 'stop') ||
        (await simulation.deliveries(event.id)).every(
          ({ state, reason }) => state === 'cancelled' && reason !== null,
        );
      assert.ok(all.every(({ reason }) => reason.length > 0));
      assert.ok(told.has(event.id) ? isToBeTold : isStopped || isAnswered);
    }
  });
});

test('the same events lead to the same decisions and messages again', async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitraryPolicy,
      arbitraryStream,
      arbitraryPresences,
      async (policy, stream, presences) => {
        const outcomes: object[] = [];
        for (let time = 1; time <= 2; time += 1) {
          await using run = await runAlerts(policy, stream, presences);
          const { simulation, fed } = run;
          const decisions: unknown[] = [];
          for (const { event } of fed) decisions.push(await simulation.decisions(event.id));
          const effects = fed.map((one) => one.effects);
          outcomes.push({ sent: simulation.sent(), decisions, effects });
        }

        assert.deepEqual(outcomes[0], outcomes[1]);
      },
    ),
  );
});

test('a program channel gets each event immediately, once, regardless of settings for people', async () => {
  await holdsAlways(async ({ simulation, fed }, { plans, holdStop }) => {
    for (const { event, effects } of fed) {
      // The end of a turn may wait for the word of the service, and the machine may sleep meanwhile.
      const mayWait = holdStop !== null && event.kind === 'turn.done';
      const chosen = effects.decisions.find(({ stage }) => stage === 'route')?.reason ?? '';
      const isOwed = Object.values(plans)
        .filter(({ name }) => chosen.includes(`"${name}"`))
        .flatMap(({ steps }) => steps)
        .some((step) => step.afterMs === 0 && !step.condition && step.notify.includes('log'));
      const messages = simulation
        .sent()
        .filter(({ channel, eventId }) => channel === 'log' && eventId === event.id)
        .filter(({ at }) => mayWait || at === event.receivedAt);

      if (isOwed && mayWait) assert.ok(messages.length >= 1);
      else if (isOwed) assert.equal(messages.length, 1);
    }
  });
});

test('no message goes out twice, and none names an event twice', async () => {
  await holdsAlways(async ({ simulation, fed }) => {
    const told = simulation.sent();
    const asked = fed.flatMap(({ effects }) => effects.deliveries);

    assert.deepEqual(
      repeated(told, ({ deliveryId }) => deliveryId),
      [],
    );
    assert.deepEqual(
      repeated(asked, ({ id }) => id),
      [],
    );
    assert.ok(told.every(({ deliveryId }) => asked.some(({ id }) => id === deliveryId)));
    for (const { eventId, also } of told) {
      assert.deepEqual(
        repeated([eventId, ...also], (id) => id),
        [],
      );
    }
  });
});

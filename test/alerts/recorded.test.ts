import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { decide } from '../../src/alerts/decide.ts';
import { releaseDue } from '../../src/alerts/release-due.ts';
import { createSimulation } from '../../src/alerts/simulate.ts';
import type { Decision } from '../../src/core/decision.ts';
import { INBOX } from '../../src/core/delivery.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import { type Policy, unknownPresence } from '../../src/core/policy.ts';
import type { Store } from '../../src/core/store.ts';
import { arbitraryPolicy } from '../support/arbitrary-policy.ts';
import { arbitraryStream } from '../support/arbitrary-stream.ts';
import { temporaryStore } from '../support/store.ts';

/** Ends every story: longer than alerts live and nights last. */
const LONG_AFTER_MS = 30 * 24 * 3_600_000;

interface Outcome {
  readonly decisions: readonly string[];
  readonly told: readonly string[];
}

test('replaying recorded events gives the decisions and messages that the store recorded', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPolicy, arbitraryStream, async (policy, stream) => {
      const events = stream.flatMap((happening) =>
        happening.type === 'event' ? [happening.event] : [],
      );

      assert.deepEqual(simulated(policy, events), await recorded(policy, events));
    }),
    { numRuns: 30 },
  );
});

function simulated(policy: Policy, events: readonly HookEvent[]): Outcome {
  const simulation = createSimulation({ policy });
  for (const event of events) simulation.feed(event);
  simulation.finish();
  return {
    decisions: events.flatMap(({ id }) => decisionsOf(id, simulation.decisions(id))),
    told: simulation
      .told()
      // The store has these without sending them.
      .filter(({ channel }) => channel !== INBOX)
      .map(
        ({ deliveryId, channel, step, also }) => `${deliveryId} ${channel} ${step} ${String(also)}`,
      )
      .toSorted(),
  };
}

/**
 * The end of an alert: the store records immediately, on the message, why it is not sent; the simulation does when it
 * is due.
 */
const isOver = /: the alert is (?:expired|resolved)$/;

function decisionsOf(eventId: string, decisions: readonly Decision[]): readonly string[] {
  return (
    decisions
      .filter(({ reason }) => !isOver.test(reason))
      .map((decision) => `${eventId} ${JSON.stringify(decision)}`)
      // Messages at the same time are decided in due order, in which closed alerts count.
      .toSorted()
  );
}

/**
 * The same with the store, whose timers fire when they are due, and with channels that accept everything immediately.
 */
async function recorded(policy: Policy, events: readonly HookEvent[]): Promise<Outcome> {
  let now = 0;
  let lastId = 0;
  const told: string[] = [];
  await using opened = await temporaryStore({ now: () => now });
  const { store } = opened;

  async function fireUntil(at: number): Promise<void> {
    for (;;) {
      const next = await store.held.nextTimer();
      if (next === null || next > at) return;
      now = next;
      await store.alerts.expire({ now, exceptChannels: policy.programChannels });
      const circumstances = {
        policy,
        now,
        presenceOf: () => unknownPresence,
        runningOf: () => 'unknown' as const,
      };
      await store.held.releaseDue(now, (memory) => releaseDue(memory, circumstances));
      told.push(...(await sendAll(store, now)));
    }
  }

  for (const event of events) {
    await fireUntil(event.receivedAt);
    now = event.receivedAt;
    await store.events.accept([{ event, payload: new Uint8Array() }], (memory, accepted) =>
      decide(memory, accepted, {
        policy,
        now,
        presence: unknownPresence,
        newId: () => `id-${(lastId += 1)}`,
      }),
    );
    told.push(...(await sendAll(store, now)));
  }
  await fireUntil(now + LONG_AFTER_MS);

  const decisions: string[] = [];
  for (const { id } of events) {
    const entry = await store.history.event(id);
    decisions.push(...decisionsOf(id, entry?.decisions ?? []));
  }
  return { decisions, told: told.toSorted() };
}

async function sendAll(store: Store, now: number): Promise<readonly string[]> {
  const told: string[] = [];
  for (;;) {
    const channels = [...(await store.outbox.dueTimes())].filter(([, at]) => at <= now);
    if (channels.length === 0) return told;
    for (const [channel] of channels) {
      for (const claimed of await store.outbox.claim({ channel, now, leaseMs: 1, limit: 100 })) {
        const { delivery, also, fence } = claimed;
        const line = `${delivery.id} ${channel} ${delivery.step} ${String(also.map(({ id }) => id))}`;
        if (channel !== INBOX) told.push(line);
        await store.outbox.settle({
          deliveryId: delivery.id,
          fence,
          state: 'sent',
          reason: null,
          attempt: { number: 1, startedAt: now, durationMs: 0, outcome: 'delivered', reason: null },
        });
      }
    }
  }
}

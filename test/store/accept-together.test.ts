import assert from 'node:assert/strict';
import test from 'node:test';

import * as fc from 'fast-check';

import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import type { HookRecord } from '../../src/core/hook-event.ts';
import { type Policy, unknownPresence } from '../../src/core/policy.ts';
import type { Decide, Store } from '../../src/core/store.ts';
import { arbitraryPolicy } from '../support/arbitrary-policy.ts';
import { arbitraryStream } from '../support/arbitrary-stream.ts';
import { samplePolicy } from '../support/decisions.ts';
import { sampleSession } from '../support/store.ts';
import {
  NOW,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  tell,
  temporaryStore,
} from '../support/store.ts';

/** Ids follow from the event, so that two stores can be compared. */
function deciding(policy: Policy): Decide {
  return (memory, event) => {
    let count = 0;
    return decide(memory, event, {
      agents: traitsOf,
      policy,
      now: NOW,
      presence: unknownPresence,
      newId: () => `${event.id}/${(count += 1)}`,
    });
  };
}

async function stateOf({ history, sessions, alerts }: Store) {
  const entries = await history.list({ limit: 100 });
  return {
    events: entries.map(({ deliveries, ...rest }) => ({
      ...rest,
      deliveries: deliveries.toSorted((a, b) => a.id.localeCompare(b.id)),
    })),
    sessions: (await sessions.list({ limit: 100 })).toSorted((a, b) => a.key.localeCompare(b.key)),
    alerts: (await alerts.live()).toSorted((a, b) => a.id.localeCompare(b.id)),
  };
}

test('events accepted together are decided as if each came after the one before', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryPolicy, arbitraryStream, async (policy, stream) => {
      // What is in a limit depends on the order among sessions, which may change.
      const decideEach = deciding({ ...policy, noise: samplePolicy.noise });
      const records = stream.flatMap((happening): readonly HookRecord[] =>
        happening.type === 'event'
          ? [{ event: happening.event, payload: new TextEncoder().encode(happening.event.id) }]
          : [],
      );
      await using together = await temporaryStore();
      await using alone = await temporaryStore();

      await together.store.events.accept(records, decideEach);
      for (const record of records) await alone.store.events.accept([record], decideEach);

      assert.deepEqual(await stateOf(together.store), await stateOf(alone.store));
    }),
    { numRuns: 15 },
  );
});

function inSessions(count: number): readonly HookRecord[] {
  return Array.from({ length: count }, (_, index) =>
    sampleRecord({
      id: `event-${index}`,
      kind: 'needs.input',
      sessionId: `s${index}`,
      sessionKey: `claude:s${index}`,
      duplicate: { key: `key ${index}`, windowMs: null },
    }),
  );
}

test('events accepted together do not exceed the limits of a channel, with those before them', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const limited = deciding({
    ...samplePolicy,
    noise: { ...samplePolicy.noise, burst: { atOnce: 5, windowMs: 60_000 } },
  });
  const [first, second, ...others] = inSessions(30);

  await store.events.accept([first!, second!], limited);
  await store.events.accept(others, limited);

  const sent = (await store.history.list({ limit: 100 }))
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ channel }) => channel === 'desktop');
  assert.equal(sent.length, 30);
  assert.equal(sent.filter(({ heldFor }) => heldFor === null).length, 5);
  assert.equal(sent.filter(({ heldFor }) => heldFor === 'burst').length, 25);
});

test('an event given twice is committed once, and a copy from another session is its duplicate', async () => {
  await using opened = await temporaryStore();
  const [event, other] = inSessions(2);
  const copy = sampleRecord({ ...other!.event, duplicate: event!.event.duplicate });
  const duplicates: unknown[] = [];

  const verdicts = await opened.store.events.accept([event!, event!, copy], ({ duplicateOf }) => {
    duplicates.push(duplicateOf);
    return sampleEffects();
  });

  assert.deepEqual(verdicts, ['committed', 'known', 'committed']);
  assert.equal(duplicates.at(-1), 'event-0');
});

test('a thread of Codex knows the session that was prompted in the same directory just before', async () => {
  await using opened = await temporaryStore();
  const records = inSessions(2).map(({ event, payload }) => ({
    event: { ...event, agent: 'codex' as const, mayHelp: true as const },
    payload,
  }));
  const siblings: unknown[] = [];

  await opened.store.events.accept(records, ({ sibling }, { sessionKey, cwd }) => {
    siblings.push(sibling?.()?.key);
    const session = sampleSession({ key: sessionKey, agent: 'codex', cwd, firstPrompt: 'Go' });
    return sampleEffects({ session });
  });

  assert.equal(siblings.at(-1), 'claude:s0');
});

test('a decision that throws leaves nothing of the events accepted with its own', async () => {
  await using opened = await temporaryStore();
  const records = inSessions(8);

  await assert.rejects(
    opened.store.events.accept(records, (_memory, { id }) => {
      if (id === 'event-5') throw new RangeError('No');
      return sampleEffects();
    }),
    RangeError,
  );

  assert.deepEqual(await opened.store.history.list({ limit: 10 }), []);
});

test('one event may notify many channels: its deliveries keep their order', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const channels = ['a', 'b', 'c'];

  await store.events.accept(inSessions(3), tell(...channels));
  await store.events.accept(inSessions(1), () =>
    sampleEffects({ deliveries: [sampleDelivery({ id: 'never' })] }),
  );

  for (const { event, deliveries } of await store.history.list({ limit: 10 })) {
    assert.deepEqual(
      deliveries.map(({ id }) => id),
      channels.map((channel) => `${event.id}/${channel}`),
    );
  }
});

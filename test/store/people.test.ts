import assert from 'node:assert/strict';
import test from 'node:test';

import { traitsOf } from '../../src/agents/registry.ts';
import { openSimulation, type Simulation } from '../../src/alerts/simulate.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { People, Wishes } from '../../src/core/hub/people.ts';
import type { Policy, Step } from '../../src/core/policy.ts';
import { samplePolicy, sampleStep } from '../support/decisions.ts';
import { sampleEvent, sampleMute } from '../support/sample.ts';
import { NOW, temporaryStore, type TestStore } from '../support/store.ts';

const MINUTE = 60_000;
const ADA = 'ada@example.com';
const BOB = 'bob@example.com';
const EVE = 'eve@example.com';
const ofAda = { machine: 'ada-laptop', owner: { person: ADA, team: 'core' } } as const;
const ofBob = { machine: 'bob-laptop', owner: { person: BOB, team: 'web' } } as const;

const noWishes: Wishes = { quietHours: null, channels: null };

/** People by address, who are all in the group "oncall" in this order. */
function peopleWith(wishes: Readonly<Record<string, Wishes>>): People {
  return {
    wishesOf: (email) => wishes[email] ?? null,
    group: (name) => (name === 'oncall' ? Object.keys(wishes) : null),
  };
}

const everyone = peopleWith({ [BOB]: noWishes, [EVE]: noWishes, [ADA]: noWishes });

/** Every event takes these steps; "mail" and "slack" write to one person, "team" to a room. */
function policyOf(steps: readonly Step[], fields: Partial<Policy> = {}): Policy {
  return {
    ...samplePolicy,
    personalChannels: ['mail', 'slack'],
    plans: { all: { name: 'all', steps } },
    routes: [{ name: 'all', match: { kind: ['needs.input'] }, plan: 'all', also: false }],
    ...fields,
  };
}

/** A simulation on the store under test, closed at the end of an `await using` block. */
async function simulate(
  policy: Policy,
  people: People = everyone,
): Promise<Simulation & AsyncDisposable & Pick<TestStore, 'store'>> {
  let clock: (() => number) | null = null;
  const opened = await temporaryStore({ now: () => clock?.() ?? NOW });
  const simulation = await openSimulation({
    policy,
    agents: traitsOf,
    people,
    openStore: (now) => {
      clock = now;
      return Promise.resolve(opened.store);
    },
  });
  return {
    ...simulation,
    store: opened.store,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** "mail to ada@example.com at 5 min", the times counted from `NOW`. */
function told(simulation: Simulation): readonly string[] {
  return simulation
    .sent()
    .map(
      ({ channel, recipient, at }) =>
        `${channel}${recipient === null ? '' : ` to ${recipient}`} at ${(at - NOW) / MINUTE} min`,
    );
}

async function reasonsOf(simulation: Simulation, { id }: HookEvent): Promise<string> {
  return (await simulation.decisions(id)).map(({ reason }) => reason).join('\n');
}

test('a personal channel notifies the owner of the machine, and no colleague', async () => {
  await using simulation = await simulate(policyOf([sampleStep(['mail', 'team'])]));

  await simulation.feed(sampleEvent({ ...ofAda, sessionKey: 'a/s' }));
  await simulation.feed(sampleEvent({ ...ofBob, sessionKey: 'b/s' }));

  assert.deepEqual(told(simulation), [
    `mail to ${ADA} at 0 min`,
    'team at 0 min',
    `mail to ${BOB} at 0 min`,
    'team at 0 min',
  ]);
});

test('a personal channel without a known recipient is refused with a reason, and opens no alert', async () => {
  await using simulation = await simulate(policyOf([sampleStep(['mail'])]));
  const event = sampleEvent({ machine: 'unknown' });

  await simulation.feed(event);

  assert.deepEqual(told(simulation), []);
  assert.deepEqual(await simulation.liveAlerts(), []);
  assert.match(
    await reasonsOf(simulation, event),
    /"mail" is not notified: the owner of the machine is unknown/,
  );
});

test('an event cannot name its owner: without one of the hub, "match" with a person never holds', async () => {
  const policy = policyOf([sampleStep(['team'])], {
    routes: [
      { name: 'ada', match: { person: ['ada@*'], team: ['core'] }, plan: 'all', also: false },
    ],
  });
  await using simulation = await simulate(policy);

  await simulation.feed(sampleEvent({ sessionKey: 'x/s', message: ADA, title: ADA }));
  await simulation.feed(sampleEvent({ ...ofBob, sessionKey: 'b/s' }));
  assert.deepEqual(told(simulation), []);
  await simulation.feed(sampleEvent({ ...ofAda, sessionKey: 'a/s' }));
  assert.deepEqual(told(simulation), ['team at 0 min']);
});

const ownerThenGroup = policyOf([
  sampleStep(['mail']),
  sampleStep(['slack'], {
    afterMs: 10 * MINUTE,
    to: { type: 'group', name: 'oncall', eachMs: 5 * MINUTE },
  }),
]);

test('an escalation goes from the owner to the members of a group, one after the other', async () => {
  await using simulation = await simulate(ownerThenGroup);

  await simulation.feed(sampleEvent(ofAda));
  await simulation.advanceTo(NOW + 60 * MINUTE);

  assert.deepEqual(told(simulation), [
    `mail to ${ADA} at 0 min`,
    `slack to ${BOB} at 10 min`,
    `slack to ${EVE} at 15 min`,
    `slack to ${ADA} at 20 min`,
  ]);
});

test('an answer stops the escalation: later members are not notified', async () => {
  await using simulation = await simulate(ownerThenGroup);

  await simulation.feed(sampleEvent(ofAda));
  await simulation.advanceTo(NOW + 12 * MINUTE);
  const at = NOW + 13 * MINUTE;
  await simulation.feed(sampleEvent({ ...ofAda, kind: 'prompt', at, receivedAt: at }));
  await simulation.advanceTo(NOW + 60 * MINUTE);

  assert.deepEqual(told(simulation), [`mail to ${ADA} at 0 min`, `slack to ${BOB} at 10 min`]);
});

test('a member who was removed leaves no gap, and one removed meanwhile is not notified', async () => {
  const wishes: Record<string, Wishes> = { [BOB]: noWishes, [EVE]: noWishes, [ADA]: noWishes };
  const people: People = {
    wishesOf: (email) => wishes[email] ?? null,
    group: () => [BOB, 'gone@example.com', EVE],
  };
  await using simulation = await simulate(ownerThenGroup, people);
  const event = sampleEvent(ofAda);

  await simulation.feed(event);
  delete wishes[BOB];
  await simulation.advanceTo(NOW + 60 * MINUTE);

  assert.deepEqual(told(simulation), [`mail to ${ADA} at 0 min`, `slack to ${EVE} at 15 min`]);
  const reasons = await reasonsOf(simulation, event);
  assert.match(reasons, /"slack" is not notified: "gone@example.com" is not a person of this hub/);
  assert.match(reasons, /"slack" is not notified: "bob@example.com" is not a person of this hub/);
});

test('an unknown group is a reason in the decisions', async () => {
  const to = { type: 'group', name: 'nobody', eachMs: MINUTE } as const;
  await using simulation = await simulate(policyOf([sampleStep(['mail'], { to })]));
  const event = sampleEvent(ofAda);

  await simulation.feed(event);

  assert.match(await reasonsOf(simulation, event), /there is no group "nobody"/);
});

test('the mute of a person does not mute a colleague', async () => {
  await using simulation = await simulate(policyOf([sampleStep(['mail'])]));
  await simulation.mute(sampleMute({ person: ADA, until: NOW + 30 * MINUTE }));

  await simulation.feed(sampleEvent({ ...ofAda, sessionKey: 'a/s' }));
  await simulation.feed(sampleEvent({ ...ofBob, sessionKey: 'b/s' }));

  assert.deepEqual(told(simulation), [`mail to ${BOB} at 0 min`]);
  await simulation.advanceTo(NOW + 60 * MINUTE);
  assert.deepEqual(told(simulation), [`mail to ${BOB} at 0 min`, `mail to ${ADA} at 30 min`]);
});

test('mutes.add() of a person leaves what goes to others in the outbox', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const record = { event: sampleEvent({ sessionKey: 'x/s' }), payload: new Uint8Array() };
  const delivery = {
    channel: 'mail',
    alertId: null,
    step: 0,
    repetition: 0,
    delayMs: 0,
    condition: null,
    dueAt: NOW,
    heldFor: null,
    quietly: false,
  } as const;
  await store.events.accept([record], () => ({
    session: null,
    alerts: [],
    decisions: [],
    turnMs: null,
    relay: false,
    cancel: [],
    withdraw: [],
    deliveries: [
      { ...delivery, id: 'to-ada', recipient: ADA },
      { ...delivery, id: 'to-bob', recipient: BOB },
    ],
  }));

  await store.mutes.add(sampleMute({ id: 'of-ada', person: ADA, createdAt: NOW }), []);

  const held = (await store.history.event(record.event.id))?.deliveries ?? [];
  assert.deepEqual(
    held.map(({ recipient, heldFor }) => [recipient, heldFor]),
    [
      [ADA, 'mute'],
      [BOB, null],
    ],
  );
  await store.mutes.add(sampleMute({ id: 'of-bob', person: BOB, createdAt: NOW }), []);
  assert.equal(await store.mutes.remove('all'), 0, 'these are the mutes of persons');
  assert.equal(await store.mutes.remove({ person: ADA }), 1);
  assert.deepEqual(
    (await store.mutes.active(NOW)).map(({ person }) => person),
    [BOB],
  );
});

test('quiet hours are those of the recipient in their time zone, also when the clocks change', async () => {
  // In Berlin the clocks go forward on 31 March 2024 at 02:00, so 07:00 there is 05:00 UTC instead of 06:00.
  const start = Date.parse('2024-03-30T22:30:00Z');
  const night = {
    from: 22 * 60,
    to: 7 * 60,
    timezone: 'Europe/Berlin',
    days: null,
    letThrough: [],
    meanwhile: { type: 'hold' },
  } as const;
  const people = peopleWith({
    [ADA]: { ...noWishes, quietHours: [night] },
    [BOB]: { ...noWishes, quietHours: [{ ...night, timezone: 'America/New_York' }] },
    [EVE]: { ...noWishes, quietHours: [] },
  });
  // The hub is quiet all night as well: it does not matter to people with their own hours.
  const quietHours = [{ ...night, timezone: 'UTC' }];
  await using simulation = await simulate(policyOf([sampleStep(['mail'])], { quietHours }), people);

  for (const [person, machine] of [
    [ADA, 'a'],
    [BOB, 'b'],
    [EVE, 'e'],
  ] as const) {
    const owner = { person, team: null };
    const fields = { machine, owner, sessionKey: `${machine}/s`, at: start, receivedAt: start };
    await simulation.feed(sampleEvent(fields));
  }
  await simulation.advanceTo(start + 12 * 60 * MINUTE);

  const times = simulation
    .sent()
    .map(({ recipient, at }) => [recipient, new Date(at).toISOString()]);
  assert.deepEqual(times, [
    [BOB, '2024-03-30T22:30:00.000Z'],
    [EVE, '2024-03-30T22:30:00.000Z'],
    [ADA, '2024-03-31T05:00:00.000Z'],
  ]);
});

test('a person without their own quiet hours has those of the hub', async () => {
  const quietHours = [
    {
      from: 0,
      to: 1439,
      timezone: 'UTC',
      days: null,
      letThrough: [],
      meanwhile: { type: 'discard' },
    },
  ] as const;
  await using simulation = await simulate(policyOf([sampleStep(['mail'])], { quietHours }));

  await simulation.feed(sampleEvent(ofAda));

  assert.deepEqual(told(simulation), []);
});

test('only the channels that a person chose notify them', async () => {
  const people = peopleWith({ [ADA]: { ...noWishes, channels: ['slack'] }, [BOB]: noWishes });
  await using simulation = await simulate(policyOf([sampleStep(['mail', 'slack'])]), people);
  const event = sampleEvent(ofAda);

  await simulation.feed(event);

  assert.deepEqual(told(simulation), [`slack to ${ADA} at 0 min`]);
  assert.match(
    await reasonsOf(simulation, event),
    /"mail" is not notified: "ada@example.com" does not want it/,
  );
});

test('deliveries of one recipient are combined, and never with those of another', async () => {
  const noise = { ...samplePolicy.noise, burst: { atOnce: 3, windowMs: MINUTE } };
  await using simulation = await simulate(policyOf([sampleStep(['mail'])], { noise }));

  for (const one of ['1', '2', '3', '4', '5']) {
    await simulation.feed(sampleEvent({ ...ofAda, id: `ada-${one}`, sessionKey: `a/${one}` }));
    await simulation.feed(sampleEvent({ ...ofBob, id: `bob-${one}`, sessionKey: `b/${one}` }));
  }
  await simulation.advanceTo(NOW + 10 * MINUTE);

  const messages = simulation.sent().map(({ recipient, eventId, also }) => ({
    recipient,
    events: [eventId, ...also].join(' '),
  }));
  assert.deepEqual(messages, [
    ...['1', '2', '3'].flatMap((one) => [
      { recipient: ADA, events: `ada-${one}` },
      { recipient: BOB, events: `bob-${one}` },
    ]),
    { recipient: ADA, events: 'ada-4 ada-5' },
    { recipient: BOB, events: 'bob-4 bob-5' },
  ]);
});

test('after a suspension a later step for another person does not take the place of an earlier one', async () => {
  await using simulation = await simulate(
    policyOf([
      sampleStep(['mail'], { afterMs: 5 * MINUTE }),
      sampleStep(['mail'], { afterMs: 10 * MINUTE, to: { type: 'person', email: BOB } }),
    ]),
  );

  await simulation.feed(sampleEvent(ofAda));
  await simulation.suspendUntil(NOW + 60 * MINUTE);

  assert.deepEqual(told(simulation).toSorted(), [
    `mail to ${ADA} at 60 min`,
    `mail to ${BOB} at 60 min`,
  ]);
});

test('a snooze notifies the same person again', async () => {
  await using simulation = await simulate(policyOf([sampleStep(['mail'])]));
  const event = sampleEvent(ofAda);
  await simulation.feed(event);

  const until = NOW + 5 * MINUTE;
  const snooze = { sessionKey: event.sessionKey, until, now: NOW, exceptChannels: [] };
  await simulation.store.alerts.snooze({ ...snooze, newId: () => 'id-1000' });
  await simulation.advanceTo(NOW + 10 * MINUTE);

  assert.deepEqual(told(simulation), [`mail to ${ADA} at 0 min`, `mail to ${ADA} at 5 min`]);
});

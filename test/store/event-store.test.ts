import assert from 'node:assert/strict';
import test from 'node:test';

import type { Memory } from '../../src/core/store.ts';
import {
  decideNothing,
  sampleAlert,
  sampleEffects,
  sampleRecord,
  sampleSession,
  storeAt,
  tell,
  temporaryStore,
} from '../support/store.ts';

test('accept() keeps every field of an event, and its payload byte by byte', async () => {
  await using opened = await temporaryStore();
  const record = {
    payload: new Uint8Array([0, 255, 123, 10, 0]),
    event: sampleRecord({
      id: 'all-fields',
      kind: 'turn.failed',
      tool: 'Bash',
      reason: 'error',
      failed: true,
      notificationType: 'idle_prompt',
      permissionMode: 'plan',
      subagent: true,
      attended: false,
      source: 'resume',
      title: 'Fix the shop 🛒',
      transcriptPath: '/tmp/transcript.jsonl',
      backgroundWork: true,
      subject: 'Bash: rm',
      duplicate: { key: 'twice', windowMs: 2000 },
      facts: { agent: 'claude', tty: '/dev/pts/3' },
    }).event,
  };
  const decisions = [{ stage: 'route', verdict: 'stop', reason: 'No route matches' }] as const;

  await opened.store.events.accept([record], () => sampleEffects({ decisions, turnMs: 65_000 }));
  const found = await opened.store.history.event('all-fields');

  assert.deepEqual(found, {
    event: record.event,
    sessionTitle: null,
    decisions,
    turnMs: 65_000,
    deliveries: [],
    payload: record.payload,
  });
});

test('accept() keeps an empty payload', async () => {
  await using opened = await temporaryStore();

  await opened.store.events.accept([sampleRecord({ id: 'empty' }, '')], decideNothing);

  assert.deepEqual((await opened.store.history.event('empty'))?.payload, new Uint8Array());
});

test('accept() answers "known" for an id it has, decides nothing and writes nothing (fault 44)', async () => {
  await using opened = await temporaryStore();
  const record = sampleRecord();
  let decided = 0;
  const decide = (): ReturnType<typeof sampleEffects> => {
    decided += 1;
    return sampleEffects();
  };

  const first = await opened.store.events.accept([record, record], decide);
  const second = await opened.store.events.accept([record], decide);

  assert.deepEqual([first, second, decided], [['committed', 'known'], ['known'], 1]);
  assert.equal((await opened.store.upkeep.counts()).events, 1);
});

test('accept() shows each event of a batch the effects of those before it', async () => {
  await using opened = await temporaryStore();
  const records = [sampleRecord(), sampleRecord(), sampleRecord()];
  const seen: Memory[] = [];

  await opened.store.events.accept(records, (memory, event) => {
    seen.push(memory);
    if (seen.length === 1) {
      return sampleEffects({
        session: sampleSession({ state: 'waiting' }),
        alerts: [sampleAlert(event)],
      });
    }
    const closed = { ...memory.alert!, state: 'resolved' as const, closedBy: event.id };
    return sampleEffects({ alerts: seen.length === 2 ? [closed] : [] });
  });

  assert.deepEqual(
    seen.map(({ session, alert }) => [session?.state ?? null, alert?.id ?? null]),
    [
      [null, null],
      ['waiting', `alert of ${records[0]!.event.id}`],
      ['waiting', null],
    ],
  );
});

test('accept() remembers sessions and alerts over a restart, as they were', async () => {
  await using opened = await temporaryStore();
  const record = sampleRecord({ subject: 'Bash: rm' });
  const session = sampleSession({
    turnStartedAt: 5,
    lastTurnMs: 7,
    waitingFor: 'May I?',
    title: 'Shop',
    firstPrompt: 'Fix it',
    permissionMode: 'plan',
    attended: true,
    facts: { tty: '/dev/pts/1' },
  });
  const alert = sampleAlert(record.event, {
    state: 'acknowledged',
    acknowledgedAt: 8,
    snoozedUntil: 9,
    plan: {
      name: 'all',
      steps: [
        {
          afterMs: 0,
          notify: ['desktop'],
          repeat: { everyMs: 5, atMost: 2 },
          condition: { presence: 'away' },
        },
      ],
    },
    closedAt: 9,
    closedBy: 'person',
  });
  await opened.store.events.accept([record], () => sampleEffects({ session, alerts: [alert] }));
  await opened.store.close();

  await using again = await storeAt(opened.path);
  const seen: Pick<Memory, 'session' | 'alert'>[] = [];
  await again.store.events.accept([sampleRecord()], (memory) => {
    seen.push({ session: memory.session, alert: memory.alert });
    return sampleEffects();
  });

  assert.deepEqual(seen, [{ session, alert }]);
});

test('accept() replaces a live alert by another one whatever their order in the effects', async () => {
  await using opened = await temporaryStore();
  const [first, second, third] = [sampleRecord(), sampleRecord(), sampleRecord()];
  await opened.store.events.accept([first], (_memory, event) =>
    sampleEffects({ alerts: [sampleAlert(event)] }),
  );

  await opened.store.events.accept([second], ({ alert }, event) =>
    sampleEffects({ alerts: [sampleAlert(event), { ...alert!, state: 'resolved' }] }),
  );

  let live: string | undefined;
  await opened.store.events.accept([third], ({ alert }) => {
    live = alert?.eventId;
    return sampleEffects();
  });
  assert.equal(live, second.event.id);
});

const duplicates = [
  { name: 'within the window', windowMs: 1000, apart: 1000, duplicate: true },
  {
    name: 'within the window, sent the other way round',
    windowMs: 1000,
    apart: -1000,
    duplicate: true,
  },
  { name: 'after the window', windowMs: 1000, apart: 1001, duplicate: false },
  { name: 'ever, where ids make the key', windowMs: null, apart: 1e9, duplicate: true },
];
for (const { name, windowMs, apart, duplicate } of duplicates) {
  test(`accept() ${duplicate ? 'calls' : 'does not call'} an event of the same key a duplicate ${name}`, async () => {
    await using opened = await temporaryStore();
    const at = 1_700_000_000_000;
    const key = { key: 'same', windowMs };
    const first = sampleRecord({ at, duplicate: key });
    const second = sampleRecord({ at: at + apart, duplicate: key });
    const seen: (string | null)[] = [];

    await opened.store.events.accept([first, second], ({ duplicateOf }) => {
      seen.push(duplicateOf);
      return sampleEffects();
    });

    assert.deepEqual(seen, [null, duplicate ? first.event.id : null]);
  });
}

test('accept() starts the window of duplicates at the first event: repeats do not prolong it', async () => {
  await using opened = await temporaryStore();
  const records = [0, 900, 1800].map((offset) =>
    sampleRecord({ at: 1_700_000_000_000 + offset, duplicate: { key: 'same', windowMs: 1000 } }),
  );
  const seen: (string | null)[] = [];

  await opened.store.events.accept(records, ({ duplicateOf }) => {
    seen.push(duplicateOf);
    return sampleEffects();
  });

  assert.deepEqual(seen, [null, records[0]!.event.id, null]);
});

test('accept() takes nothing of a call whose decide throws, and rejects with that error', async () => {
  await using opened = await temporaryStore();
  const [good, bad] = [sampleRecord(), sampleRecord()];
  const failure = new Error('A bug');

  const accepting = opened.store.events.accept([good, bad], (_memory, event) => {
    if (event.id === bad.event.id) throw failure;
    return sampleEffects({ session: sampleSession() });
  });

  await assert.rejects(accepting, failure);
  const { events, sessions } = await opened.store.upkeep.counts();
  assert.deepEqual([events, sessions.working], [0, 0]);
});

test('accept() strips NUL from texts, which would be cut there, and finds the session again (P92)', async () => {
  await using opened = await temporaryStore();
  const records = [1, 2].map(() =>
    sampleRecord({ sessionKey: 'claude:a\0b', message: 'one\0two' }),
  );
  const known: boolean[] = [];

  await opened.store.events.accept(records, ({ session }, event) => {
    known.push(session !== null);
    return sampleEffects({ session: sampleSession({ key: event.sessionKey }) });
  });

  const found = await opened.store.history.event('last');
  assert.deepEqual([known, found?.event.message], [[false, true], 'onetwo']);
});

test('accept() refuses a number that could not be read back (P92)', async () => {
  await using opened = await temporaryStore();

  const accepting = opened.store.events.accept([sampleRecord({ at: 1.5 })], decideNothing);

  await assert.rejects(accepting, /Cannot store 1\.5: expected a whole number below 2\^53/);
});

test('accept() of two callers in one turn: the one whose decide throws does not take the other with it', async () => {
  await using opened = await temporaryStore();
  const failing = opened.store.events.accept([sampleRecord()], () => {
    throw new Error('A bug');
  });
  const working = opened.store.events.accept([sampleRecord({ id: 'kept' })], tell('desktop'));

  await assert.rejects(failing, /A bug/);

  assert.deepEqual(await working, ['committed']);
  assert.equal((await opened.store.history.event('kept'))?.deliveries.length, 1);
});

test('accept() keeps an event as the decision took it (E4, E17)', async () => {
  await using opened = await temporaryStore();
  const record = sampleRecord({ id: 'idle', kind: 'needs.input' });
  const event = { ...record.event, kind: 'turn.interrupted' } as const;

  await opened.store.events.accept([record], () => sampleEffects({ event }));

  assert.equal((await opened.store.history.event('idle'))?.event.kind, 'turn.interrupted');
});

test('accept() finds the session a helper thread works for: same agent and directory, prompted, most recent event (E1)', async () => {
  await using opened = await temporaryStore();
  const codex = { agent: 'codex', cwd: '/shop' } as const;
  const prompted = { ...codex, firstPrompt: 'go' };
  const others = [
    sampleSession({ ...prompted, key: 'codex:old', lastEventAt: 1 }),
    sampleSession({ ...prompted, key: 'codex:new', lastEventAt: 2 }),
    sampleSession({ ...prompted, key: 'codex:elsewhere', lastEventAt: 3, cwd: '/other' }),
    sampleSession({ ...prompted, key: 'droid:one', lastEventAt: 3, agent: 'droid' }),
    sampleSession({ ...codex, key: 'codex:silent', lastEventAt: 3, firstPrompt: null }),
  ];
  for (const session of others) {
    await opened.store.events.accept([sampleRecord()], () => sampleEffects({ session }));
  }
  const found: (string | undefined)[] = [];

  await opened.store.events.accept(
    [sampleRecord({ ...codex, sessionKey: 'codex:helper' })],
    ({ sibling }) => {
      found.push(sibling?.()?.key);
      return sampleEffects();
    },
  );

  assert.deepEqual(found, ['codex:new']);
});

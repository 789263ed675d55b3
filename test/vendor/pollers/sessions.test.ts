import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  routes,
  ServerError,
  type Session,
  type SessionListItem,
} from '../../../src/vendor/client/index.ts';
import type { LastHook, SessionEvent } from '../../../src/core/source-event.ts';
import type { SessionPollPolicy } from '../../../src/config/poller-schema.ts';
import {
  type SessionAnswer,
  createSessionsPoll,
} from '../../../src/vendor/pollers/sessions-poller.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { raisedEvents, sourceMemory } from '../../support/source-run.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const START = 1_700_000_000_000;

const policy: SessionPollPolicy = {
  pollInterval: { everyMs: 30_000, atMostMs: 300_000 },
  pendingMs: 300_000,
  most: 100,
  tags: null,
  computers: null,
  link: null,
};

const base = { sessionId: 's1', messageCount: 4, createdAt: START - 1e7, updatedAt: START - 1e6 };
const outage = new ServerError('Away', {
  route: 'sessions.get',
  method: 'GET',
  path: '/',
  attempts: 1,
  status: 500,
  retryAfterMs: null,
});

interface Sample extends Partial<Record<keyof SessionListItem, unknown>> {
  readonly status: string;
}

/** Polls the service every 30 s; its lists have no status. */
function sessionsSource({
  memory = sourceMemory(),
  start = START,
  ...fields
}: Partial<SessionPollPolicy> & {
  readonly memory?: ReturnType<typeof sourceMemory>;
  readonly start?: number;
} = {}) {
  const clock = manualClock(start);
  const { raise, events } = raisedEvents();
  const news: SessionEvent[] = [];
  const told: string[] = [];
  const asked: string[] = [];
  const hooks = new Map<string, LastHook>();
  let there = new Map<string, Session>();
  let unlisted = 0;
  const unreadable = new Set<string>();
  const look = createSessionsPoll({
    policy: { ...policy, ...fields },
    reader: {
      list: () =>
        Promise.resolve({
          items: [...there.values()].slice(unlisted).map(withoutStatus),
          isWhole: unlisted === 0,
        }),
      get: (sessionId): Promise<SessionAnswer> => {
        asked.push(sessionId);
        const session = there.get(sessionId);
        if (unreadable.has(sessionId)) {
          return Promise.resolve({ type: 'unreadable', error: outage });
        }
        return Promise.resolve(
          session === undefined ? { type: 'gone' } : { type: 'found', session },
        );
      },
    },
    raise: async (event) => {
      await raise(event);
      told.push(event.event);
    },
    raiseSessionEvent: (one) => {
      if (!news.some(({ id }) => id === one.id)) news.push(one);
      told.push(one.event);
      return Promise.resolve();
    },
    lastHook: (sessionId) => Promise.resolve(hooks.get(sessionId) ?? null),
    memory,
    now: clock.now,
  });
  return {
    clock,
    memory,
    events,
    news,
    told,
    asked,
    hooks,
    unreadable,
    /** What a page that breaks off before them leaves out. */
    hide: (count: number) => {
      unlisted = count;
    },
    lookAt: async (...samples: readonly Sample[]) => {
      const { response } = routes['sessions.get'];
      const parsed = samples.map((sample) => response.parse({ ...base, ...sample }));
      there = new Map(parsed.map((session) => [session.sessionId, session]));
      clock.jump(30 * SECOND_MS);
      return look();
    },
  };
}

function withoutStatus({ status: _status, ...item }: Session): SessionListItem {
  return item;
}

const running = { status: 'running', updatedAt: START };
const pending = { status: 'pending', updatedAt: START };
const idle = { status: 'idle', updatedAt: START + 5, messageCount: 6 };

test('the sessions source is silent on its first look, and notifies once when a session stops running', async () => {
  const run = sessionsSource();

  await run.lookAt(running, { ...idle, sessionId: 's2' });
  await run.lookAt({ ...idle, title: 'Fix it' }, { ...idle, sessionId: 's2' });
  await run.lookAt({ ...idle, title: 'Fix it' }, { ...idle, sessionId: 's2' });

  assert.deepEqual(
    run.news.map((one) => ({ ...one, id: '' })),
    [
      {
        id: '',
        kind: 'turn.done',
        event: 'remote.idle',
        agent: 'droid',
        sessionId: 's1',
        title: 'Fix it',
        message: 'The session is idle at the service',
        payload: {
          sessionId: 's1',
          phase: 'done',
          updatedAt: START + 5,
          messages: 6,
        },
      },
    ],
  );
  assert.deepEqual(run.told, ['remote.idle']);
});

for (const { name, sample, event, kind } of [
  {
    name: 'is completed',
    sample: { ...idle, completedAt: START + 5 },
    event: 'remote.completed',
    kind: 'turn.done',
  },
  {
    name: 'fails, in undocumented words',
    sample: { ...idle, status: 'failed' },
    event: 'remote.failed',
    kind: 'turn.failed',
  },
]) {
  test(`the sessions source reports a session that ${name}, with a link where one is configured`, async () => {
    const run = sessionsSource({ link: 'https://app.example.com/sessions/{session_id}?tab=1' });
    const sessionId = 'a/b c';

    await run.lookAt({ ...running, sessionId });
    await run.lookAt({ ...sample, sessionId });

    const [one, ...more] = run.news;
    assert.deepEqual(more, []);
    assert.deepEqual([one?.event, one?.kind], [event, kind]);
    assert.match(
      one?.message ?? '',
      /^The session .+\nhttps:\/\/app\.example\.com\/sessions\/a%2Fb%20c\?tab=1$/,
    );
  });
}

test('the sessions source resolves its alert when the session runs again, and then notifies again', async () => {
  const run = sessionsSource();

  await run.lookAt(running);
  await run.lookAt(idle);
  await run.lookAt({ ...running, updatedAt: START + 7 });
  await run.lookAt({ ...idle, updatedAt: START + 9, messageCount: 8 });

  assert.deepEqual(run.told, ['remote.idle', 'remote.running', 'remote.idle']);
  assert.equal(new Set(run.news.map(({ id }) => id)).size, 3);
});

test('the sessions source sees a turn that began and ended between two looks, and no turn in a change of the title', async () => {
  const run = sessionsSource();

  await run.lookAt({ ...idle, messageCount: 6 });
  await run.lookAt({ ...idle, messageCount: 6, title: 'New', updatedAt: START + 10 });
  const before = [...run.told];
  await run.lookAt({ ...idle, messageCount: 8, title: 'New', updatedAt: START + 20 });

  assert.deepEqual([before, run.told], [[], ['remote.idle']]);
});

test('the sessions source reports a session that began and was completed since the last look, not of an old one that shows up', async () => {
  const run = sessionsSource();
  const over = { ...idle, completedAt: START + 50, messageCount: 2 };

  await run.lookAt(idle);
  await run.lookAt(
    idle,
    { ...over, sessionId: 'new', createdAt: START + 40 },
    { ...over, sessionId: 'empty', createdAt: START + 41, messageCount: 0 },
    { ...over, sessionId: 'old', createdAt: START - 2e7 },
  );

  assert.deepEqual(
    run.news.map(({ sessionId, event }) => [sessionId, event]),
    [['new', 'remote.completed']],
  );
});

test('the sessions source reports a session that hangs pending, also over a restart, and that it no longer does', async () => {
  const first = sessionsSource();
  await first.lookAt(pending);

  const run = sessionsSource({ memory: first.memory, start: START + 4 * MINUTE_MS });
  await run.lookAt(pending);
  const before = [...run.told];
  run.clock.jump(MINUTE_MS);
  await run.lookAt({ ...pending, title: 'Build' });
  await run.lookAt({ ...pending, title: 'Build' });
  await run.lookAt({ ...running, updatedAt: START + 3 });

  assert.deepEqual(before, []);
  assert.deepEqual(run.told, ['session.pending', 'session.moved']);
  assert.deepEqual(
    run.events.map(({ kind, about, headline }) => [kind, about, headline]),
    [
      ['notice', 'session/s1', 'Session "Build" has been pending for more than 5 min'],
      ['notice.over', 'session/s1', 'Session s1 is no longer pending'],
    ],
  );
});

test('the sessions source leaves a turn to the hook that reported it', async () => {
  const run = sessionsSource();
  await run.lookAt(idle);
  run.hooks.set('s1', { agent: 'droid', at: run.clock.now() + 5 });

  await run.lookAt(running);
  await run.lookAt(idle);
  await run.lookAt(idle);
  await run.lookAt(idle);

  assert.deepEqual(run.told, []);
});

test('the sessions source gives a hook that knows the session a minute to speak up first', async () => {
  const late = sessionsSource();
  const silent = sessionsSource();
  for (const run of [late, silent]) {
    run.hooks.set('s1', { agent: 'claude', at: START - MINUTE_MS });
    await run.lookAt(idle);
    await run.lookAt(running);
    await run.lookAt(idle);
    assert.deepEqual(run.told, []);
  }

  late.hooks.set('s1', { agent: 'claude', at: late.clock.now() });
  for (const run of [late, silent]) {
    await run.lookAt(idle);
    await run.lookAt(idle);
    await run.lookAt(idle);
  }

  assert.deepEqual(late.told, []);
  assert.deepEqual(
    silent.news.map(({ event, agent }) => [event, agent]),
    [['remote.idle', 'claude']],
  );
});

test('the sessions source forgets a session that was deleted, and withdraws its report', async () => {
  const run = sessionsSource();
  await run.lookAt(running, { ...running, sessionId: 's2' });
  await run.lookAt(idle, { ...running, sessionId: 's2' });

  await run.lookAt();

  assert.deepEqual(run.told, ['remote.idle', 'remote.gone']);
  assert.equal(run.news[1]?.kind, 'session.end');
  assert.deepEqual(Object.keys(Object(Object(run.memory.value()).sessions)), []);
});

test('the sessions source asks for a running session that a page left out, and does not take it for deleted', async () => {
  const run = sessionsSource();
  await run.lookAt(running, { ...idle, sessionId: 's2' });

  run.hide(1);
  await run.lookAt(running, { ...idle, sessionId: 's2' });
  run.hide(2);
  await run.lookAt(idle, { ...idle, sessionId: 's2' });

  assert.deepEqual(run.told, ['remote.idle']);
});

test('the sessions source asks again about what works or moved alone, and about 20 a look at most (acceptance 114)', async () => {
  const run = sessionsSource();
  const many = Array.from({ length: 50 }, (_, index) => ({ ...idle, sessionId: `many-${index}` }));

  await run.lookAt(...many);
  assert.equal(run.asked.length, 20);
  await run.lookAt(...many);
  await run.lookAt(...many);
  assert.equal(new Set(run.asked).size, 50);
  const before = run.asked.length;
  await run.lookAt(...many, running);
  await run.lookAt(...many, running);

  assert.deepEqual(run.asked.slice(before), ['s1', 's1']);
  assert.deepEqual(run.told, []);
});

test('the sessions source lets one session that cannot be read not hold up the others', async () => {
  const run = sessionsSource();
  await run.lookAt(running, { ...running, sessionId: 's2' });

  run.unreadable.add('s1');
  await run.lookAt(running, { ...idle, sessionId: 's2' });
  await assert.rejects(run.lookAt(running, { ...idle, sessionId: 's2' }), outage);
  run.unreadable.clear();
  await run.lookAt(idle, { ...idle, sessionId: 's2' });

  assert.deepEqual(
    run.news.map(({ sessionId }) => sessionId),
    ['s2', 's1'],
  );
});

test('the sessions source raises the same event again if its memory was not saved (a crash between)', async () => {
  const first = sessionsSource();
  await first.lookAt(running);
  const kept = first.memory.value();
  await first.lookAt(idle);

  const second = sessionsSource({ memory: sourceMemory(kept) });
  await second.lookAt(idle);

  assert.deepEqual(
    second.news.map(({ id }) => id),
    first.news.map(({ id }) => id),
  );
});

test('the sessions source looks often while a session works, and seldom while none does', async () => {
  const run = sessionsSource();

  const seen = [
    await run.lookAt(running),
    await run.lookAt(running),
    await run.lookAt(idle),
    await run.lookAt(idle),
  ];

  assert.deepEqual(seen, ['moving', 'moving', 'moving', 'still']);
});

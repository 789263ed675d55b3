import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  confirmation,
  confirmedIn,
  factsAfter,
  isWithoutHooks,
  seenFact,
  seenIn,
} from '../../src/core/agent/witness.ts';
import { isLive } from '../../src/core/alert.ts';
import { isOfTraffic } from '../../src/core/due.ts';
import { runsInTmux, tmuxPaneOf } from '../../src/core/facts.ts';
import { emailAddress } from '../../src/core/hub/directory.ts';
import { MachinePolicy, organizationSources } from '../../src/core/hub/machine-policy.ts';
import { EnrolBody, MeRequest, SeenRequest } from '../../src/core/hub/machine-requests.ts';
import { unrecordedEnvironment, unsafeVariables } from '../../src/core/launch-environment.ts';
import { programAskSchema } from '../../src/core/question.ts';
import { agentProcess, namedProcess, processId } from '../../src/core/session.ts';
import { sessionEventRecord, sourceRecord } from '../../src/core/source-event.ts';
import { isSavedDatabase, savedDatabase } from '../../src/core/store-aging.ts';
import { waitKindOf } from '../../src/core/waiting.ts';

test('a statement of an agent is read as it was written, and only from a fact of that form', () => {
  const said = { state: 'waiting', since: 5, version: '2.1.332' } as const;

  assert.deepEqual(seenIn({ seen: seenFact(said) }), said);
  for (const version of [null, 'a b', 'x'.repeat(41)]) {
    assert.deepEqual(seenIn({ seen: seenFact({ ...said, version }) }), { ...said, version: null });
  }
  for (const seen of ['asleep 5', 'waiting soon', 'waiting']) assert.equal(seenIn({ seen }), null);
  assert.equal(seenIn({}), null);
  assert.deepEqual(confirmedIn(JSON.stringify([{ reason: confirmation(said) }])), said);
  assert.equal(confirmedIn('[]'), null);
});

test('factsAfter() takes the facts of a hook, and keeps what no hook can say', () => {
  const before = { seen: 'idle 5', host: 'zed', term: 'xterm' };

  assert.equal(factsAfter(before, {}), before);
  assert.deepEqual(factsAfter(before, { ppid: '7' }), { seen: 'idle 5', host: 'zed', ppid: '7' });
  assert.deepEqual(factsAfter({}, { ppid: '7' }), { ppid: '7' });
  assert.deepEqual([{ seen: 'idle 5' }, { seen: 'idle 5', ppid: '7' }, {}].map(isWithoutHooks), [
    true,
    false,
    false,
  ]);
});

test('a pane of tmux needs its server and its number, and the terminal of an editor is none', () => {
  const facts = { tmux: '/tmp/tmux-1/default,42,0', tmux_pane: '%3' };
  const pane = { socket: '/tmp/tmux-1/default', serverPid: '42', pane: '%3' };

  assert.deepEqual(tmuxPaneOf(facts), pane);
  for (const wrong of [{ tmux: 'default,42,0' }, { tmux: '/a,b,0' }, { tmux_pane: '3' }]) {
    assert.equal(tmuxPaneOf({ ...facts, ...wrong }), null);
  }
  assert.deepEqual([{}, { term_program: 'tmux' }, { term_program: 'vscode' }].map(runsInTmux), [
    true,
    true,
    false,
  ]);
});

test('the process of an agent is the one it names, or else the one that ran its hook', () => {
  assert.deepEqual(['2', '1', '0', '-3', '2.5', 'x', undefined].map(processId), [
    2,
    null,
    null,
    null,
    null,
    null,
    null,
  ]);
  const facts = { claude_pid: '7', ppid: '9' };
  assert.deepEqual([namedProcess('claude', facts), agentProcess('claude', facts)], [7, 7]);
  assert.deepEqual([namedProcess('droid', facts), agentProcess('droid', facts)], [null, 9]);
});

test('emailAddress() is in lower case, and null for what is none', () => {
  assert.equal(emailAddress(' Ada@Example.COM '), 'ada@example.com');
  for (const text of ['ada', 'ada@example', 'a b@example.com', `${'a'.repeat(65)}@example.com`]) {
    assert.equal(emailAddress(text), null, text);
  }
  const domain = `${'a'.repeat(60)}.`.repeat(4);
  assert.equal(emailAddress(`abcdefg@${domain}io`)?.length, 254);
  assert.equal(emailAddress(`abcdefgh@${domain}io`), null);
});

function texts(count: number, length: number): readonly string[] {
  return Array.from({ length: count }, () => 'x'.repeat(length));
}

test('what a machine sends to its hub has bounds', () => {
  const enrol = { version: 1, code: 'c'.repeat(100), machine: 'm', key: '1'.repeat(64) };
  const year = 365 * 86_400_000;
  for (const [schema, most, more] of [
    [EnrolBody, enrol, { ...enrol, code: 'c'.repeat(101) }],
    [MeRequest, { type: 'mute', forMs: 10 * year }, { type: 'mute', forMs: 10 * year + 1 }],
    [MeRequest, { type: 'mute', forMs: 1 }, { type: 'mute', forMs: 0 }],
    [SeenRequest, { sessions: texts(64, 8_192) }, { sessions: texts(65, 1) }],
    [SeenRequest, { sessions: texts(1, 1) }, { sessions: texts(1, 8_193) }],
    [SeenRequest, { sessions: texts(1, 1) }, { sessions: texts(1, 0) }],
    [MachinePolicy, { channels: texts(64, 64) }, { channels: texts(65, 1) }],
    [MachinePolicy, { channels: texts(1, 1) }, { channels: texts(1, 65) }],
    [MachinePolicy, { channels: texts(0, 1) }, { channels: texts(1, 0) }],
    [MachinePolicy, { redact: true }, { redact: false }],
    [
      MachinePolicy,
      { hubOnly: [...organizationSources] },
      { hubOnly: [...organizationSources, 'digest'] },
    ],
  ] as const) {
    assert.ok(schema.safeParse(most).success, JSON.stringify(most).slice(0, 80));
    assert.equal(schema.safeParse(more).success, false, JSON.stringify(more).slice(0, 80));
  }
});

test('a question of a program has bounds', () => {
  const ask = {
    id: 'q',
    again: false,
    session: 'mcp-01234567',
    host: 'h'.repeat(40),
    cwd: 'c'.repeat(4_096),
    pid: 1,
    question: 'q'.repeat(2_000),
    options: Array(8).fill('o'.repeat(100)),
    forMs: 86_400_000,
    waitMs: 25_000,
  };
  const least = { question: 'q', options: [], forMs: 1_000, waitMs: 0 };
  assert.ok(programAskSchema.safeParse(ask).success);
  assert.ok(programAskSchema.safeParse({ ...ask, ...least }).success);
  for (const wrong of [
    { host: 'h'.repeat(41) },
    { cwd: 'c'.repeat(4_097) },
    { pid: 0 },
    { question: '' },
    { question: 'q'.repeat(2_001) },
    { options: Array(9).fill('o') },
    { options: [''] },
    { options: ['o'.repeat(101)] },
    { forMs: 999 },
    { forMs: 86_400_001 },
    { waitMs: -1 },
    { waitMs: 25_001 },
  ]) {
    assert.equal(programAskSchema.safeParse({ ...ask, ...wrong }).success, false);
  }
});

test('a finding becomes an event of the service, for the person it is about', () => {
  const found = {
    id: 'f',
    kind: 'notice',
    event: 'budget.threshold',
    about: 'budget/ada',
    failed: false,
    headline: 'High',
    details: 'Very',
    payload: { concerns: { email: 'Ada@Example.com' } },
  } as const;

  const { event } = sourceRecord(found, 7);

  assert.deepEqual(
    [event.agent, event.sessionKey, event.message, event.subject, event.at, event.owner],
    [
      'service',
      'service:budget/ada',
      'High\nVery',
      'budget/ada',
      7,
      {
        person: 'ada@example.com',
        team: null,
      },
    ],
  );
  assert.deepEqual([event.subagent, event.backgroundWork], [false, false]);
  const short = sourceRecord({ ...found, details: '', payload: {} }, 7).event;
  assert.deepEqual([short.message, 'owner' in short], ['High', false]);
});

test('a finding about a session is an event of its agent', () => {
  const found = {
    id: 'f',
    agent: 'droid',
    sessionId: 's',
    kind: 'turn.failed',
    event: 'remote.failed',
    title: null,
    message: null,
    payload: {},
  } as const;

  const { event } = sessionEventRecord(found, 7);

  assert.deepEqual([event.sessionKey, event.failed, event.subject], ['droid:s', true, null]);
  assert.equal(sessionEventRecord({ ...found, kind: 'turn.done' }, 7).event.failed, false);
});

test('which events wait, ring for a live alert or count as traffic', () => {
  assert.deepEqual(
    (['open', 'acknowledged', 'resolved', 'expired'] as const).filter((state) => isLive({ state })),
    ['open', 'acknowledged'],
  );
  assert.deepEqual(
    (['waits', 'news', 'all'] as const).map((counted) => [
      isOfTraffic('needs.input', counted),
      isOfTraffic('turn.done', counted),
    ]),
    [
      [true, false],
      [false, true],
      [true, true],
    ],
  );
  assert.equal(waitKindOf('turn.done'), 'turn.done');
  assert.equal(waitKindOf('tool.done'), null);
});

test('a saved database is named after its schema', () => {
  assert.equal(savedDatabase('/state/hookbell.db', 3), '/state/hookbell.db.schema-3');
  assert.deepEqual(
    ['h.db.schema-3', 'h.db.schema-3x', 'g.db.schema-3', 'h.db'].map((name) =>
      isSavedDatabase(name, 'h.db'),
    ),
    [true, false, false, false],
  );
});

test('the environment of a daemon without a record, and what in it is unsafe', () => {
  assert.deepEqual(unrecordedEnvironment('/state', '/home/dev'), {
    HOME: '/home/dev',
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOOKBELL_STATE_DIR: '/state',
  });
  assert.deepEqual(unsafeVariables({}), {});
  assert.deepEqual(unsafeVariables({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }), {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
});

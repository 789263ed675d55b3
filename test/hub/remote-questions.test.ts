import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { requestHash } from '../../src/agents/support/request.ts';
import type { AuditEntry } from '../../src/core/hub/audit.ts';
import type { HubPerson } from '../../src/core/hub/directory.ts';
import type { AnswerUnderWay } from '../../src/core/hub/machine-questions.ts';
import type { OfferedAnswer, Question } from '../../src/core/question.ts';
import { createRemoteQuestions } from '../../src/hub/remote-questions.ts';
import { silentLog } from '../../src/platform/log.ts';
import { manualClock } from '../support/manual-clock.ts';
import { sampleRecord } from '../support/store.ts';

const never = (): never => assert.fail('not used');

test('createRemoteQuestions() reads the questions immediately, and then once in 150 ms, whatever the number of notifications', async () => {
  const clock = manualClock();
  let reads = 0;
  const questions = createRemoteQuestions({
    store: {
      open: () => {
        reads += 1;
        return Promise.resolve([]);
      },
      records: never,
      give: never,
      refuse: never,
      isUnderWay: never,
      find: never,
      expire: never,
    },
    directory: { personOf: () => null },
    personBehind: () => Promise.resolve(null),
    mayAnswer: () => false,
    onChange: () => {},
    now: clock.now,
    startTimer: clock.startTimer,
    log: silentLog,
  });

  questions.wake();
  await clock.settle();
  assert.equal(reads, 1);
  for (let index = 0; index < 100; index += 1) {
    questions.wake();
    await clock.settle();
  }
  assert.equal(reads, 1);
  await clock.advance(149);
  assert.equal(reads, 1);
  await clock.advance(1);
  assert.equal(reads, 2, 'what came meanwhile is read');
  await clock.advance(1_000);
  assert.equal(reads, 2);
  questions.wake();
  await clock.settle();
  assert.equal(reads, 3, 'immediately again after a rest');
  await questions.stop();
  assert.equal(clock.pending, 0);
});

const ID = '0190a5e0-0000-7000-8000-000000000001';
const HASH = requestHash('Bash', { command: 'make' }, undefined);
const payload = '{"tool_name":"Bash","tool_input":{"command":"make"}}';
const ada: HubPerson = { email: 'ada@example.com', name: null, team: null, settings: '{}' };
const bob: HubPerson = { ...ada, email: 'bob@example.com', name: 'Bob' };

function heldAt(fields: Partial<Question> = {}): Question {
  return {
    id: ID,
    sessionKey: 'desk/claude:s1',
    agent: 'claude',
    agentId: null,
    tool: 'Bash',
    requestHash: HASH,
    callHash: null,
    hold: 'open',
    choices: ['allow', 'allow-session', 'deny'],
    state: 'held',
    openedAt: 1,
    deadline: 2_000_000_000_000,
    answer: null,
    closedAt: null,
    reason: null,
    ...fields,
  };
}

function offer(fields: Partial<OfferedAnswer> = {}): OfferedAnswer {
  const base = { choice: 'allow', by: 'U1', via: 'Slack', channel: 'team' } as const;
  return { ...base, requestHash: HASH, words: null, answers: {}, ...fields };
}

const allowed: Partial<Question> = {
  state: 'answered',
  answer: { choice: 'allow', by: 'ada@example.com', via: 'Slack', at: 1_700_000_000_000 },
};

/** The questions of a hub whose database has `open`, and later `afterwards` in its place. */
async function hubScene({
  open = [heldAt()],
  afterwards = null,
  person = ada,
  owner = ada,
  text = payload,
  hasEvent = true,
}: {
  readonly open?: readonly Question[];
  readonly afterwards?: Question | null;
  readonly person?: HubPerson | null;
  readonly owner?: HubPerson | null;
  readonly text?: string;
  readonly hasEvent?: boolean;
} = {}) {
  const clock = manualClock();
  const given: AnswerUnderWay[] = [];
  const audit: AuditEntry[] = [];
  let changes = 0;
  let listed = open.map((question) => ({ machine: 'desk', question }));
  const questions = createRemoteQuestions({
    store: {
      open: () => Promise.resolve(listed),
      records: (ids) =>
        Promise.resolve(
          hasEvent ? ids.map((id) => sampleRecord({ id, machine: 'desk' }, text)) : [],
        ),
      give(answer, decide, entry) {
        const [one] = listed;
        if (one === undefined || one.question.id !== answer.question) return Promise.resolve(null);
        const decided = decide(one);
        if (decided.ok) {
          given.push(answer);
          audit.push(entry);
          listed = [];
        }
        return Promise.resolve(decided);
      },
      refuse: (entry) => {
        audit.push(entry);
        return Promise.resolve();
      },
      isUnderWay: () => Promise.resolve(false),
      find: (id) => Promise.resolve(id === ID ? afterwards : null),
      expire: () => Promise.resolve(),
    },
    directory: { personOf: () => owner },
    personBehind: () => Promise.resolve(person),
    mayAnswer: (one, of) => one.email === of.email,
    onChange: () => {
      changes += 1;
    },
    now: clock.now,
    startTimer: clock.startTimer,
    log: silentLog,
  });
  questions.wake();
  await clock.settle();
  return {
    questions,
    given,
    audit,
    changes: () => changes,
    /** Offers an answer, and lets the hub read again until the outcome is known. */
    async answer(fields: Partial<OfferedAnswer> = {}, id = ID) {
      const answering = questions.answer(id, offer(fields));
      await clock.advance(1_000);
      questions.wake();
      await clock.advance(1_000);
      return await answering;
    },
    [Symbol.asyncDispose]: () => questions.stop(),
  };
}

describe('the requests of a hub', () => {
  test('are shown with what their machine offers and this process can show', async () => {
    await using whole = await hubScene();
    await using cut = await hubScene({ text: '{"tool_name":"Bash"}' });

    const [shown] = whole.questions.shown();
    const [hidden] = cut.questions.shown();

    assert.deepEqual(shown?.question.choices, ['allow', 'deny']);
    assert.equal(shown.text, 'Bash\n  command: make');
    assert.deepEqual(shown.asks, []);
    assert.deepEqual([hidden?.text, hidden?.asks], [null, []]);
    assert.deepEqual(hidden?.question.choices, ['deny']);
    assert.equal(whole.changes(), 1);
  });

  test('are not shown before their events are there', async () => {
    await using hub = await hubScene({ hasEvent: false });

    assert.deepEqual([hub.questions.shown(), hub.changes()], [[], 0]);
  });

  test('are answered by their owner, in whose name the answer goes to the machine', async () => {
    for (const [person, by] of [
      [ada, 'ada@example.com'],
      [bob, 'Bob'],
    ] as const) {
      await using hub = await hubScene({ afterwards: heldAt(allowed), person, owner: person });

      assert.deepEqual(await hub.answer(), { ok: true });

      const [answer] = hub.given;
      assert.deepEqual([answer?.by, answer?.choice, answer?.question], [by, 'allow', ID]);
      assert.deepEqual(hub.audit, [
        {
          actor: { type: 'person', email: person.email },
          action: 'answer',
          target: { type: 'machine', name: 'desk' },
          detail: { question: ID, choice: 'allow', via: 'Slack' },
        },
      ]);
    }
  });

  for (const { name, afterwards, reason } of [
    { name: 'is gone', afterwards: null, reason: /^It is no longer waiting for an answer$/ },
    {
      name: 'was answered in the terminal first',
      afterwards: heldAt({
        ...allowed,
        state: 'overtaken',
        closedAt: 1,
        reason: 'Answered in the terminal',
      }),
      reason: /^Answered in the terminal at \d\d:\d\d$/,
    },
    {
      name: 'was taken back because the machine did not fetch the answer',
      afterwards: heldAt({ reason: 'The machine did not respond' }),
      reason: /^The machine did not respond$/,
    },
    {
      name: 'was taken back without a reason',
      afterwards: heldAt(),
      reason: /^It is no longer waiting for an answer$/,
    },
    {
      name: 'was answered by another person first',
      afterwards: heldAt({
        state: 'confirmed',
        closedAt: 2,
        answer: { choice: 'deny', by: 'Bob', via: 'the page', at: 5 },
      }),
      reason: /^Denied at \d\d:\d\d by Bob \(the page\)$/,
    },
  ]) {
    test(`the person who answered sees the reason if the request ${name}`, async () => {
      await using hub = await hubScene({ afterwards });

      const result = await hub.answer();

      assert.ok(!result.ok);
      assert.match(result.reason, reason);
      assert.equal(result.person, 'ada@example.com');
    });
  }

  for (const { name, person, owner, reason, actor } of [
    {
      name: 'a stranger',
      person: null,
      owner: ada,
      reason: 'This hub cannot identify you: answer at the machine',
      actor: { type: 'hub' },
    },
    {
      name: 'another person',
      person: bob,
      owner: ada,
      reason: 'Only the owner of the machine may answer this request',
      actor: { type: 'person', email: 'bob@example.com' },
    },
    {
      name: 'anyone while the machine has no owner',
      person: ada,
      owner: null,
      reason: 'Only the owner of the machine may answer this request',
      actor: { type: 'person', email: 'ada@example.com' },
    },
  ] as const) {
    test(`refuse ${name}, and record the attempt`, async () => {
      await using hub = await hubScene({ person, owner });

      const result = await hub.answer();

      assert.deepEqual(result, {
        ok: false,
        reason,
        ...(person === null ? {} : { person: person.email }),
      });
      assert.deepEqual(hub.given, []);
      assert.deepEqual(
        hub.audit.map((entry) => [entry.action, entry.actor]),
        [['refuse', actor]],
      );
    });
  }

  test('refuse an answer that the agent would not understand, and one to another request', async () => {
    await using hub = await hubScene();

    assert.deepEqual(await hub.answer({ choice: 'answer', answers: { 'Which?': 'this' } }), {
      ok: false,
      reason: 'The agent does not accept such an answer',
      person: 'ada@example.com',
    });
    assert.deepEqual(await hub.answer({ requestHash: 'b'.repeat(64) }), {
      ok: false,
      reason: 'The agent asks for something else now',
      person: 'ada@example.com',
    });
    assert.deepEqual(hub.given, []);
  });

  test('say why a request that is not open was closed, as far as it is known', async () => {
    await using hub = await hubScene({
      open: [],
      afterwards: heldAt({ state: 'released', closedAt: 1, reason: 'The session ended' }),
    });

    const known = await hub.answer();
    const unknown = await hub.answer({}, 'never-there');

    assert.ok(!known.ok && !unknown.ok);
    assert.match(known.reason, /^The session ended at \d\d:\d\d$/);
    assert.equal(unknown.reason, 'It is no longer waiting for an answer');
    assert.equal(await hub.questions.whyOver('never-there'), null);
    assert.deepEqual(
      [await hub.questions.hasEnded(ID), await hub.questions.hasEnded('never-there')],
      [true, false],
    );
  });

  test('an answer whose outcome is unknown when the hub stops says so', async () => {
    await using hub = await hubScene({ afterwards: heldAt(allowed) });
    const answering = hub.questions.answer(ID, offer());
    await new Promise((resolve) => setImmediate(resolve));

    await hub.questions.stop();

    const result = await answering;
    assert.ok(!result.ok);
    assert.match(result.reason, /has not yet reported whether the agent got your answer/);
  });
});

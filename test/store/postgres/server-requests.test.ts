import assert from 'node:assert/strict';
import test from 'node:test';

import { acceptAnswer } from '../../../src/alerts/accept-answer.ts';
import type { AnswerUnderWay, MachineQuestions } from '../../../src/core/hub/machine-questions.ts';
import type { MachineQuestion } from '../../../src/core/hub/mirror-question.ts';
import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { needsPostgres, startPostgres } from '../../support/postgres.ts';
import { decideNothing, sampleRecord } from '../../support/store.ts';

const skip = needsPostgres();
const START = 1_700_000_000_000;

const reported: MachineQuestion = {
  id: 'a',
  agent: 'claude',
  agentId: null,
  tool: 'Bash',
  requestHash: 'hash',
  callHash: null,
  hold: 'open',
  choices: ['allow', 'deny'],
  state: 'held',
  openedAt: START,
  deadline: START + 3_600_000,
  answer: null,
  closedAt: null,
  reason: null,
};

/** Two processes of a hub, with an event of the machine "laptop" that the first has taken in. */
async function scene() {
  const postgres = await startPostgres();
  let now = START;
  const open = () => openServerStore({ url: postgres.url, now: () => now });
  const [one, other] = await Promise.all([open(), open()]);
  const event = { id: 'a', machine: 'laptop', agent: 'claude' } as const;
  await one.store.events.accept([sampleRecord(event)], decideNothing);
  const report = (fields: Partial<Parameters<MachineQuestions['take']>[0]> = {}) =>
    one.hub.requests.take({
      machine: 'laptop',
      questions: [reported],
      at: START,
      outcomes: [],
      ...fields,
    });
  const give = (requests: MachineQuestions, answer: string) => {
    const given: AnswerUnderWay = {
      question: 'a',
      answer,
      choice: 'allow',
      by: 'Ada',
      via: answer,
      requestHash: 'hash',
      words: 'zebra',
      answers: {},
    };
    return requests.give(given, ({ question }) => acceptAnswer(question, given, now), {
      actor: { type: 'hub' },
      action: 'answer',
      target: { type: 'machine', name: 'laptop' },
      detail: {},
    });
  };
  return {
    postgres,
    requests: [one.hub.requests, other.hub.requests] as const,
    report,
    give,
    pass: (ms: number) => void (now += ms),
    async [Symbol.asyncDispose]() {
      await Promise.all([one.store.close(), other.store.close()]);
      await postgres[Symbol.asyncDispose]();
    },
  };
}

test(
  'the first of twenty answers at two processes counts, and reaches the machine until it reports',
  { skip },
  async () => {
    await using place = await scene();
    const [one, other] = place.requests;
    await place.report();

    const given = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        place.give(index % 2 === 0 ? one : other, `answer-${index}`),
      ),
    );

    assert.equal(given.filter((decided) => decided?.ok === true).length, 1);
    assert.deepEqual(await other.expecting(), ['laptop']);
    const [first] = await other.handOver('laptop');
    // Its response was lost.
    const [again] = await one.handOver('laptop');
    assert.deepEqual(again, first);
    assert.deepEqual(await one.handOver('desktop'), []);
    const outcome = { question: 'a', answer: first?.answer ?? '', refusal: null };
    await place.report({ questions: null, machine: 'desktop', outcomes: [outcome] });
    assert.equal(await one.isUnderWay('a'), true, 'another machine has reported the outcome');
    await place.report({ questions: null, outcomes: [outcome] });
    assert.equal(await one.isUnderWay('a'), false);
    const [audited] = await place.postgres.run('SELECT count(*)::int AS count FROM audit');
    assert.equal(audited?.['count'], 1);
  },
);

test(
  'an answer that no machine fetches is taken back, one that it may have is not',
  { skip },
  async () => {
    await using place = await scene();
    const [requests] = place.requests;
    await place.report();

    await place.give(requests, 'answer-1');
    place.pass(30_001);
    await requests.expire(30_000);
    assert.deepEqual(await requests.handOver('laptop'), []);
    assert.equal((await requests.find('a'))?.state, 'held');
    await place.give(requests, 'answer-2');
    await requests.handOver('laptop');
    place.pass(30_001);
    await requests.expire(30_000);

    assert.equal((await requests.find('a'))?.state, 'answered');
    assert.equal(await requests.isUnderWay('a'), true);
    place.pass(3_700_000);
    await requests.expire(30_000);
    assert.equal(await requests.isUnderWay('a'), false);
    assert.notEqual((await requests.find('a'))?.closedAt, null);
  },
);

test(
  'a report names only requests of its machine whose events are there, and an old one ends nothing',
  { skip },
  async () => {
    await using place = await scene();
    const [requests] = place.requests;

    const unknown = await place.report({ questions: [{ ...reported, id: 'b' }] });
    assert.deepEqual(unknown.missing, ['b']);
    await place.report({ machine: 'desktop' });
    assert.deepEqual(await requests.open(), []);
    await place.report();
    await place.report({ questions: [], at: START - 1 });
    assert.equal((await requests.open()).length, 1);
    await place.report({ questions: [], at: START + 1, machine: 'desktop' });
    assert.equal((await requests.open()).length, 1);

    await place.report({ questions: [], at: START + 1 });

    assert.deepEqual(await requests.open(), []);
    assert.match((await requests.find('a'))?.reason ?? '', /no longer waits/);
  },
);

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { OfferedAnswer, Question } from '../../src/core/question.ts';
import { silentLog } from '../../src/platform/log.ts';
import { systemTimer, pause } from '../../src/platform/time.ts';
import { createExchanger } from '../../src/relay/exchanger.ts';
import type { Exchanged, HubAnswer, Report } from '../../src/relay/exchange-wire.ts';
import type { Exchange, Greeted, HubLink } from '../../src/relay/link.ts';
import { until } from '../support/hookbell-home.ts';

const ID = '0190a5e0-0000-7000-8000-000000000001';
const HASH = 'a'.repeat(64);

function heldRequest(fields: Partial<Question> = {}): Question {
  return {
    id: ID,
    sessionKey: 'claude:s1',
    agent: 'claude',
    agentId: null,
    tool: 'Bash',
    requestHash: HASH,
    callHash: null,
    hold: 'open',
    choices: ['allow', 'deny'],
    state: 'held',
    openedAt: 1,
    deadline: 2,
    answer: null,
    closedAt: null,
    reason: null,
    ...fields,
  };
}

function answerTo(fields: Partial<HubAnswer> = {}): HubAnswer {
  return {
    question: ID,
    answer: 'answer-1',
    requestHash: HASH,
    choice: 'deny',
    words: 'Use staging',
    answers: {},
    by: 'ada@example.com',
    via: 'Slack',
    ...fields,
  };
}

const nothing: Exchanged = { version: 1, answers: [], missing: [] };

/** An exchanger with a hub that the test plays. */
function scene(
  hub: { greeted?: Greeted; exchange?: (report: Report) => Exchange | null; pauses?: boolean } = {},
) {
  let requests: Question[] = [];
  const over = new Map<string, Question>();
  const given: [string, OfferedAnswer][] = [];
  const reports: Report[] = [];
  const greetings: number[] = [];
  const waits: number[] = [];
  const link: HubLink = {
    greet: async () => {
      greetings.push(1);
      return hub.greeted ?? { type: 'ok', machine: 'devbox', isHub: true };
    },
    async exchange(report, signal) {
      reports.push(report);
      const answer = hub.exchange?.(report) ?? null;
      if (answer !== null) return answer;
      // As a hub that has no answer.
      if (report.waitMs > 0) await pause(60_000, systemTimer, signal);
      return { type: 'ok', exchanged: nothing };
    },
    close() {},
  };
  const exchanger = createExchanger({
    questions: {
      shown: () =>
        requests.map((question) => ({
          question,
          sessionId: null,
          project: null,
          cwd: null,
          text: null,
          asks: [],
          agentPid: null,
        })),
      ended: (id) => over.get(id) ?? null,
      async answer(id, offered) {
        given.push([id, offered]);
        return { ok: true };
      },
    },
    open: () => Promise.resolve(link),
    now: () => 1_000,
    log: silentLog,
    random: () => 1,
    wait: (ms, signal) => {
      waits.push(ms);
      if (ms < 3_600_000 && hub.pauses === true) return pause(3_600_000, systemTimer, signal);
      return ms < 3_600_000 ? pause(1, systemTimer, signal) : pause(ms, systemTimer, signal);
    },
  });
  exchanger.start();
  return {
    works: () => exchanger.works(),
    reports,
    given,
    greetings,
    waits,
    hold(...next: Question[]) {
      requests = next;
      exchanger.changed();
    },
    end(question: Question) {
      over.set(question.id, question);
      requests = requests.filter(({ id }) => id !== question.id);
      exchanger.changed();
    },
    lists: () => reports.flatMap(({ questions }) => (questions === undefined ? [] : [questions])),
    polls: () => reports.filter(({ waitMs }) => waitMs > 0).length,
    [Symbol.asyncDispose]: () => exchanger.stop(),
  };
}

describe('the exchanger', { timeout: 30_000 }, () => {
  test('says once at its start that nothing is held, and asks for answers only while something is', async () => {
    await using place = scene();
    await until(() => place.reports.length === 1);
    assert.deepEqual([place.lists(), place.polls()], [[[]], 0]);

    place.hold(heldRequest());
    await until(() => place.polls() === 1);

    const [, list] = place.lists();
    const { sessionKey: _, ...reported } = heldRequest();
    assert.deepEqual(list, [reported]);
  });

  test('gives an answer to the desk once, also when it comes again, and reports what became of it', async () => {
    let handed = 0;
    await using place = scene({
      exchange: ({ waitMs, outcomes }) => {
        if (waitMs === 0 || handed === 2) return null;
        // The outcome that came with this request got lost on its way.
        if (handed === 1) assert.equal(outcomes.length, 1);
        handed += 1;
        return { type: 'ok', exchanged: { ...nothing, answers: [answerTo()] } };
      },
    });

    place.hold(heldRequest());
    await until(() => handed === 2 && place.reports.some(({ outcomes }) => outcomes.length === 1));

    const [first, ...more] = place.given;
    assert.deepEqual(more, []);
    assert.deepEqual(first, [
      ID,
      {
        requestHash: HASH,
        choice: 'deny',
        words: 'Use staging',
        answers: {},
        by: 'ada@example.com',
        via: 'Slack through the hub',
      },
    ]);
    const [told] = place.reports.flatMap(({ outcomes }) => outcomes);
    assert.deepEqual(told, { question: ID, answer: 'answer-1', refusal: null });
    assert.ok(!JSON.stringify(place.reports).includes('Use staging'));
  });

  test('reports how a request ended until the hub has confirmed it, and ends its wait for answers', async () => {
    let failures = 2;
    let isOver = false;
    await using place = scene({
      exchange: ({ waitMs }) => {
        if (!isOver || waitMs > 0 || failures === 0) return null;
        failures -= 1;
        return { type: 'unreachable', reason: 'connection refused' };
      },
    });
    place.hold(heldRequest());
    await until(() => place.polls() === 1);

    isOver = true;
    const end = { state: 'released', closedAt: 5, reason: 'Answered in the terminal' } as const;
    place.end(heldRequest(end));
    await until(() => place.lists().length === 4);

    const told = place.lists().slice(1);
    assert.equal(told.length, 3);
    for (const list of told)
      assert.deepEqual(
        list?.map((one) => one?.reason),
        [end.reason],
      );
    assert.equal(place.polls(), 1);
  });

  test('reports a request again whose event the hub does not have yet', async () => {
    let misses = 3;
    await using place = scene({
      exchange: ({ questions = [] }) => {
        if (questions.length === 0 || misses === 0) return null;
        misses -= 1;
        return { type: 'ok', exchanged: { ...nothing, missing: [ID] } };
      },
    });

    place.hold(heldRequest());

    await until(() => place.lists().filter((list) => list.length === 1).length === 4);
  });

  test('immediately reports a request again whose event the hub has just accepted', async () => {
    let isThere = false;
    await using place = scene({
      pauses: true,
      exchange: ({ questions = [] }) =>
        questions.length === 0 || isThere
          ? null
          : { type: 'ok', exchanged: { ...nothing, missing: [ID] } },
    });
    const listed = () => place.lists().filter((list) => list.length === 1).length;
    place.hold(heldRequest());
    await until(() => listed() === 1);

    isThere = true;
    place.works();

    await until(() => listed() === 2);
  });

  test('sends nothing about requests to a machine that is not a hub', async () => {
    await using place = scene({ greeted: { type: 'ok', machine: 'devbox', isHub: false } });

    place.hold(heldRequest());
    await until(() => place.greetings.length > 3);

    assert.deepEqual(place.reports, []);
    assert.ok(place.waits.every((ms) => ms >= 60_000));
  });

  test('asks a hub that is away again after 10 s at most while a person may wait', async () => {
    await using place = scene({
      exchange: () => ({ type: 'unreachable', reason: 'connection refused' }),
    });

    place.hold(heldRequest());
    await until(() => place.reports.length > 30);

    assert.ok(
      place.waits.every((ms) => ms <= 10_000),
      String(place.waits),
    );
    assert.ok(place.waits.includes(10_000));
    assert.deepEqual(place.given, []);
  });

  test('immediately asks a hub that was away when it has accepted events', async () => {
    let isAway = true;
    await using place = scene({
      pauses: true,
      exchange: () => (isAway ? { type: 'unreachable', reason: 'connection refused' } : null),
    });
    place.hold(heldRequest());
    await until(() => place.reports.length === 2);

    isAway = false;
    place.works();

    await until(() => place.reports.length === 4);
  });
});

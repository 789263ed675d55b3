import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { AnswerResult, OfferedAnswer, Question } from '../../src/core/question.ts';
import { ConfigError } from '../../src/platform/errors.ts';
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
  hub: {
    greeted?: Greeted | (() => Greeted);
    exchange?: (report: Report) => Exchange | null;
    pauses?: boolean;
    open?: () => void;
    answer?: () => Promise<AnswerResult>;
  } = {},
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
      const { greeted } = hub;
      if (typeof greeted === 'function') return greeted();
      return greeted ?? { type: 'ok', machine: 'devbox', isHub: true };
    },
    async exchange(report, signal) {
      reports.push(report);
      const answer = hub.exchange?.(report) ?? null;
      if (answer !== null) return answer;
      // As a hub that has no answer.
      if (report.waitMs > 0) await pause(60_000, systemTimer, signal);
      return { type: 'ok', exchanged: nothing };
    },
    close() {
      closed += 1;
    },
  };
  let closed = 0;
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
        return (await hub.answer?.()) ?? { ok: true };
      },
    },
    open: async () => {
      hub.open?.();
      return link;
    },
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
    closed: () => closed,
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

  test('opens the link again while it cannot be opened, such as without a token', async () => {
    let failures = 2;
    await using place = scene({
      open: () => {
        failures -= 1;
        if (failures >= 0) throw new ConfigError('Cannot read the token');
      },
    });

    place.hold(heldRequest());

    await until(() => place.polls() === 1);
    assert.equal(place.greetings.length, 1);
  });

  test('greets again a hub that was away, and over a new link one that refused', async () => {
    const greetings: Greeted[] = [
      { type: 'unreachable', reason: 'connection refused' },
      { type: 'refused', reason: 'the token is wrong' },
    ];
    await using place = scene({
      greeted: () => greetings.shift() ?? { type: 'ok', machine: 'devbox', isHub: true },
    });

    place.hold(heldRequest());

    await until(() => place.polls() === 1);
    assert.deepEqual([place.greetings.length, place.closed()], [3, 1]);
  });

  test('opens a new link after the hub has refused a report', async () => {
    let refusals = 1;
    await using place = scene({
      exchange: () => {
        refusals -= 1;
        return refusals < 0 ? null : { type: 'refused', reason: 'the token was revoked' };
      },
    });

    await until(() => place.reports.length >= 2);

    assert.equal(place.closed(), 1);
  });

  test('reports a request as over whose end is unknown', async () => {
    await using place = scene();
    place.hold(heldRequest());
    await until(() => place.lists().some((list) => list.length === 1));

    place.hold();
    await until(() => place.lists().some(([one]) => one?.state === 'released'));

    const [over] = place.lists().at(-1) ?? [];
    assert.deepEqual([over?.id, over?.closedAt, over?.reason], [ID, 1_000, 'It is over']);
  });

  test('reports why an answer was refused, and ignores answers it cannot read', async () => {
    let handed = false;
    await using place = scene({
      answer: () => Promise.resolve({ ok: false, reason: 'Answered in the terminal' }),
      exchange: ({ waitMs }) => {
        if (waitMs === 0 || handed) return null;
        handed = true;
        return { type: 'ok', exchanged: { ...nothing, answers: [null, answerTo()] } };
      },
    });

    place.hold(heldRequest());
    await until(() => place.reports.some(({ outcomes }) => outcomes.length > 0));

    assert.equal(place.given.length, 1);
    const [outcome] = place.reports.flatMap(({ outcomes }) => outcomes);
    assert.equal(outcome?.refusal, 'Answered in the terminal');
  });

  test('gives an answer that comes twice at the same time once', async () => {
    let handed = false;
    const twice = [answerTo(), answerTo()];
    await using place = scene({
      exchange: ({ waitMs }) => {
        if (waitMs === 0 || handed) return null;
        handed = true;
        return { type: 'ok', exchanged: { ...nothing, answers: twice } };
      },
    });

    place.hold(heldRequest());
    await until(() => place.reports.some(({ outcomes }) => outcomes.length > 0));

    assert.equal(place.given.length, 1);
  });

  test('ends at a bug, and can be stopped then', async () => {
    const place = scene({
      exchange: () => {
        throw new TypeError('A bug');
      },
    });
    await until(() => place.reports.length > 0);

    await place[Symbol.asyncDispose]();

    assert.equal(place.polls(), 0);
  });
});

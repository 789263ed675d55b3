import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { requestHash } from '../../../src/agents/support/request.ts';
import type { Alert, RequestAnswer } from '../../../src/core/alert.ts';
import type { HubPerson } from '../../../src/core/hub/directory.ts';
import type { AnswerUnderWay } from '../../../src/core/hub/machine-questions.ts';
import type { OfferedAnswer, Question, ShownQuestion } from '../../../src/core/question.ts';
import { StoreError } from '../../../src/core/store-aging.ts';
import { createHubAnswers } from '../../../src/daemon/hub/hub-answers.ts';
import { silentLog } from '../../../src/platform/log.ts';
import { EXCHANGE } from '../../../src/relay/exchange-wire.ts';
import { configOf } from '../../support/config-text.ts';
import { until } from '../../support/hookbell-home.ts';
import { sampleEvent } from '../../support/sample.ts';
import { NOW, sampleAlert, sampleRecord } from '../../support/store.ts';

const ID = '0190a5e0-0000-7000-8000-000000000001';
const HASH = requestHash('Bash', { command: 'make' }, undefined);
const never = (): never => assert.fail('not used');
const NEVER = new AbortController().signal;

const ada: HubPerson = { email: 'ada@example.com', name: null, team: null, settings: '{}' };
const lead: HubPerson = { ...ada, email: 'lead@example.com' };
const people = [ada, lead];

const held: Question = {
  id: ID,
  sessionKey: 'desk/claude:s1',
  agent: 'claude',
  agentId: null,
  tool: 'Bash',
  requestHash: HASH,
  callHash: null,
  hold: 'open',
  choices: ['allow', 'deny'],
  state: 'held',
  openedAt: 1,
  deadline: NOW + 60_000,
  answer: null,
  closedAt: null,
  reason: null,
};
const event = sampleEvent({
  id: ID,
  machine: 'desk',
  kind: 'needs.permission',
  sessionKey: held.sessionKey,
  subject: 'call-1',
  receivedAt: NOW,
});

const CONFIG = `
store: { postgres: { url: { env: URL } } }
listen: { port: 7000 }
hub:
  url: https://hub.example.com
  groups: { leads: [lead@example.com] }
  answers:
    allow: [{ by: { group: leads }, for: { person: ada@example.com } }]
    channels: { bell: ada@example.com }
channels: { bell: { type: log, path: x }, team: { type: log, path: y } }
`;

/** The answers of a hub whose database has the request of a machine of Ada. */
async function scene({
  open = [held],
  over = [],
  emailOf,
  liveSubject = 'call-1',
  liveOf,
}: {
  readonly open?: readonly Question[];
  /** What the machine reports as over. */
  readonly over?: readonly Question[];
  /** Whose account it is, as the service says. */
  readonly emailOf?: (account: string) => Promise<string | null>;
  readonly liveSubject?: string;
  readonly liveOf?: () => Promise<readonly Alert[]>;
} = {}) {
  const config = await configOf(CONFIG);
  const given: AnswerUnderWay[] = [];
  const resolved: RequestAnswer[] = [];
  const subscribed: (readonly string[])[] = [];
  let refusals = 0;
  let answered = 0;
  let clock = NOW;
  const answers = createHubAnswers({
    store: {
      open: () => Promise.resolve(open.map((question) => ({ machine: 'desk', question }))),
      records: (ids) =>
        Promise.resolve(
          ids
            .filter((id) => id === ID)
            .map(() => sampleRecord(event, '{"tool_name":"Bash","tool_input":{"command":"make"}}')),
        ),
      give(answer) {
        given.push(answer);
        return Promise.resolve({ ok: false, reason: 'Recorded' });
      },
      refuse() {
        refusals += 1;
        return Promise.resolve();
      },
      isUnderWay: () => Promise.resolve(false),
      find: () => Promise.resolve(open.length === 0 ? { ...held, closedAt: 5 } : held),
      expire: () => Promise.resolve(),
      take: () => Promise.resolve({ missing: [], over }),
      handOver: () => Promise.resolve([]),
      expecting: () => Promise.resolve([]),
    },
    directory: {
      start: never,
      wake: never,
      refresh: never,
      personOf: () => ada,
      person: (email) => people.find((one) => one.email === email) ?? null,
      machine: never,
      machinesOf: never,
      group: (name) => (name === 'leads' ? [lead] : null),
      policy: never,
      stop: never,
    },
    alerts: {
      liveOf: liveOf ?? (() => Promise.resolve([sampleAlert(event, { subject: liveSubject })])),
      answerRequest(answer) {
        resolved.push(answer);
        return Promise.resolve(true);
      },
    },
    config: () => config,
    delivery: () => ({
      channels: () =>
        new Map([
          [
            'team',
            {
              name: 'team',
              type: 'file',
              channel: {
                send: never,
                check: never,
                close: never,
                ...(emailOf === undefined ? {} : { emailOf }),
              },
              limits: { timeoutMs: 1, concurrency: 1, burst: 1, refillMs: 1, maxAttempts: 1 },
              audience: 'person' as const,
              reach: 'far' as const,
              can: {},
              problem: null,
            },
          ],
        ]),
      subscribeReactions(ids) {
        subscribed.push(ids);
        return Promise.resolve();
      },
    }),
    onAnswered: () => {
      answered += 1;
    },
    onChange: () => {},
    now: () => (clock += 1),
    log: silentLog,
  });
  answers.wake();
  await until(() => subscribed.length > 0);
  const own: ShownQuestion & { readonly subject: null } = {
    subject: null,
    question: { ...held, id: 'own' },
    sessionId: null,
    project: null,
    cwd: null,
    text: null,
    asks: [],
    agentPid: null,
  };
  const { questions, whyOver } = answers.beside({
    shown: () => [own],
    answer: () => Promise.resolve({ ok: true }),
  });
  return {
    answers,
    questions,
    whyOver,
    given,
    resolved,
    subscribed,
    refusals: () => refusals,
    answered: () => answered,
    advance(ms: number) {
      clock += ms;
    },
    press: (fields: Partial<OfferedAnswer>) =>
      questions.answer(ID, {
        choice: 'allow',
        by: 'U1',
        via: 'Slack',
        requestHash: HASH,
        words: null,
        answers: {},
        ...fields,
      }),
    async report() {
      const body = JSON.stringify({ version: 1, waitMs: 0, at: 1, questions: [], outcomes: [] });
      const route = answers.routes[`POST ${EXCHANGE}`];
      assert.ok(route);
      return route.handle({ machine: 'desk', person: null }, Buffer.from(body), NEVER);
    },
    [Symbol.asyncDispose]: () => answers.stop(),
  };
}

const unknown = {
  ok: false,
  reason: 'This hub cannot identify you: answer at the machine',
};

describe('the answers of a hub', () => {
  test('show the requests of this machine and of others, and give each answer to the right one', async () => {
    await using hub = await scene();

    assert.deepEqual(
      hub.questions.shown().map(({ question }) => question.id),
      ['own', ID],
    );
    assert.deepEqual(hub.subscribed, [[ID]]);
    const offered = { choice: 'allow', by: 'me', via: 'the page', requestHash: HASH } as const;
    const own = await hub.questions.answer('own', { ...offered, words: null, answers: {} });
    assert.deepEqual([own, hub.given], [{ ok: true }, []]);
    assert.match((await hub.whyOver(ID)) ?? '', /^It is open$/);
  });

  test('come from the person of the channel, or of the account as its service knows it', async () => {
    for (const [channel, account, by] of [
      ['bell', 'U9', 'ada@example.com'],
      ['team', 'U1', 'ada@example.com'],
      ['team', 'U2', 'lead@example.com'],
    ] as const) {
      await using hub = await scene({
        emailOf: (id) => Promise.resolve(id === 'U1' ? ' Ada@Example.com ' : 'lead@example.com'),
      });

      const result = await hub.press({ channel, by: account });

      assert.deepEqual([result.ok, hub.refusals()], [false, 0], channel);
      assert.deepEqual(
        hub.given.map((one) => one.by),
        [by],
      );
    }
  });

  for (const [name, fields, emailOf] of [
    ['without a channel', {}, () => Promise.resolve('ada@example.com')],
    ['of a service that knows no addresses', { channel: 'team' }, undefined],
    ['of a channel that is gone', { channel: 'gone' }, undefined],
    ['of an account without an address', { channel: 'team' }, () => Promise.resolve(null)],
    ['of a stranger', { channel: 'team' }, () => Promise.resolve('eve@example.com')],
    ['while its service is away', { channel: 'team' }, () => Promise.reject(new Error('away'))],
  ] as const) {
    test(`are refused ${name}`, async () => {
      await using hub = await scene(emailOf === undefined ? {} : { emailOf });

      assert.deepEqual(await hub.press(fields), unknown);
      assert.deepEqual([hub.given, hub.refusals()], [[], 1]);
    });
  }

  const answered: Question = {
    ...held,
    state: 'confirmed',
    answer: { choice: 'allow', by: 'Ada', via: 'Slack', at: NOW },
    closedAt: NOW,
  };
  for (const { name, over, end } of [
    {
      name: 'was answered elsewhere',
      over: answered,
      end: { via: 'Slack', isTurnOver: false, reason: /^Allowed at .* by Ada \(Slack\)$/ },
    },
    {
      name: 'was answered in the terminal',
      over: { ...held, state: 'released', closedAt: 5, reason: 'Answered in the terminal' },
      end: { via: null, isTurnOver: false, reason: /^Answered in the terminal$/ },
    },
    {
      name: 'was denied in the terminal, which ends the turn',
      over: { ...held, state: 'released', closedAt: 5, reason: 'Denied in the terminal' },
      end: { via: null, isTurnOver: true, reason: /^Denied in the terminal$/ },
    },
    {
      name: 'was let go without an answer',
      over: { ...held, state: 'released', closedAt: 5, reason: 'Its hook ended' },
      end: null,
    },
    { name: 'is unknown here', over: { ...answered, id: 'unknown-request' }, end: null },
  ] as const) {
    test(`${end === null ? 'leave' : 'resolve'} the alert if the request ${name}`, async () => {
      await using hub = await scene({ over: [over] });

      const { status } = await hub.report();
      await until(() => hub.answered() === 1);

      assert.equal(status, 200);
      const [first, ...others] = hub.resolved;
      assert.deepEqual(others, []);
      if (end === null) return assert.equal(first, undefined);
      assert.deepEqual([first?.via, first?.isTurnOver], [end.via, end.isTurnOver]);
      assert.match(first?.reason ?? '', end.reason);
    });
  }

  test('leave a later alert of the session, about something else', async () => {
    await using hub = await scene({ over: [answered], liveSubject: 'call-2' });

    await hub.report();
    await until(() => hub.answered() === 1);

    assert.deepEqual(hub.resolved, []);
  });

  test('are exchanged also while alerts cannot be resolved', async () => {
    let asked = 0;
    await using hub = await scene({
      over: [answered],
      liveOf: () => {
        asked += 1;
        return Promise.reject(new StoreError('io', 'The disk is broken'));
      },
    });

    const { status } = await hub.report();
    await until(() => asked === 1);

    assert.deepEqual([status, hub.answered()], [200, 0]);
  });

  test('wait for the request of an event until it is there, over, or does not come', async () => {
    await using hub = await scene();
    await using ended = await scene({ open: [] });

    // Each ends without a timer of the test.
    await hub.answers.awaitRequest(event);
    await hub.answers.awaitRequest({ ...event, id: 'other', machine: null });
    await hub.answers.awaitRequest({ ...event, id: 'other', kind: 'turn.done' });
    await ended.answers.awaitRequest({ ...event, facts: { held: 'yes' } });
    hub.advance(20_000);
    await hub.answers.awaitRequest({ ...event, id: 'other', facts: { held: 'yes' } });
  });
});

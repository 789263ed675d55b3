import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ControlAnswers } from '../../src/control/contract.ts';
import type { PageRights } from '../../src/page/page-access.ts';
import { type PageActionParts, runAction } from '../../src/page/page-actions.ts';
import type { AskInside } from '../../src/page/page-views.ts';
import { NotFoundError, UsageError } from '../../src/platform/errors.ts';
import type { AnswerResult } from '../../src/core/question.ts';
import type { FoundQuestion, PersonsAnswer } from '../../src/reply/decisions.ts';
import { sampleMuteView, sampleStatusView, sampleShownQuestion } from '../support/sample-views.ts';

type Answers = Partial<{ [Name in keyof ControlAnswers]: ControlAnswers[Name] }>;

const HASH = 'a'.repeat(64);
const shown = sampleShownQuestion({ choices: ['allow', 'allow-session', 'deny'] });

/** Posts a form of the page to a daemon with these answers; lists what the daemon was asked to do. */
async function act(
  name: string,
  fields: Readonly<Record<string, string>>,
  {
    answers = {},
    rights = 'decide',
    found = { type: 'open', shown },
    decided = { ok: true },
    fails,
    seen: asked = [],
  }: {
    readonly answers?: Answers;
    readonly rights?: PageRights;
    readonly found?: FoundQuestion;
    readonly decided?: AnswerResult;
    readonly fails?: Error;
    readonly seen?: unknown[];
  } = {},
) {
  const given: PersonsAnswer[] = [];
  const ask: AskInside = async (request, { body } = {}) => {
    asked.push([request, body]);
    if (fails !== undefined) throw fails;
    const answer = answers[request];
    if (answer === undefined) throw new Error(`No answer for ${request}`);
    return answer;
  };
  const parts: PageActionParts = {
    ask,
    redact: (text) => text,
    access: { confirm: (_, code) => code === '123456' },
    decisions: {
      find: async () => found,
      answer: async (_, answer) => {
        given.push(answer);
        return decided;
      },
    },
  };
  const session = { hash: 'h', rights, createdAt: 0, usedAt: 0 };
  const { status, text } = await runAction(name, new URLSearchParams(fields), session, parts);
  return { said: `${status} ${text}`, asked, given };
}

const config = sampleStatusView().config;
const tested = {
  channel: 'team',
  type: 'slack',
  durationMs: 5,
  clickAcknowledges: false,
} as const;

describe('runAction() asks the daemon and says what became true', () => {
  for (const { name, action, fields, answers, asked, said } of [
    {
      name: 'acknowledges a session by its key, which may hold any character',
      action: 'ack',
      fields: { session: 'claude%3As%201' },
      answers: { 'POST /v1/ack': { count: 1 } },
      asked: ['POST /v1/ack', { session: 'claude:s 1' }],
      said: '200 Acknowledged: it no longer escalates',
    },
    {
      name: 'says that a session was acknowledged before, and takes a key that is not encoded',
      action: 'ack',
      fields: { session: '100%' },
      answers: { 'POST /v1/ack': { count: 0 } },
      asked: ['POST /v1/ack', { session: '100%' }],
      said: '200 It was already acknowledged',
    },
    {
      name: 'snoozes for the time of the form',
      action: 'snooze',
      fields: { session: 's1', for: '30m' },
      answers: {
        'POST /v1/snooze': { session: 's1', until: '2026-03-01T10:30:00.000Z', channels: [] },
      },
      asked: ['POST /v1/snooze', { session: 's1', forMs: 1_800_000 }],
      said: '200 Snoozed: it notifies again later if it is still open',
    },
    {
      name: 'brings the terminal of a session forward',
      action: 'open',
      fields: { session: 's1' },
      answers: { 'POST /v1/open': { session: 's1', reason: null } },
      asked: ['POST /v1/open', { session: 's1' }],
      said: '200 Its terminal is in front',
    },
    {
      name: 'says why the terminal of a session stays behind',
      action: 'open',
      fields: { session: 's1' },
      answers: { 'POST /v1/open': { session: 's1', reason: 'its window is closed' } },
      asked: ['POST /v1/open', { session: 's1' }],
      said: '422 Cannot show its terminal: its window is closed',
    },
    {
      name: 'mutes a project',
      action: 'mute',
      fields: { project: ' shop ', for: '1h' },
      answers: { 'POST /v1/mutes': sampleMuteView() },
      asked: ['POST /v1/mutes', { forMs: 3_600_000, project: 'shop' }],
      said: '200 Muted',
    },
    {
      name: 'mutes everything if no project is named',
      action: 'mute',
      fields: { project: ' ', for: '1d' },
      answers: { 'POST /v1/mutes': sampleMuteView() },
      asked: ['POST /v1/mutes', { forMs: 86_400_000 }],
      said: '200 Muted',
    },
    {
      name: 'removes a mute',
      action: 'unmute',
      fields: { id: 'm1' },
      answers: { 'POST /v1/unmute': { count: 1 } },
      asked: ['POST /v1/unmute', { ids: ['m1'] }],
      said: '200 Removed: the held notifications are sent now',
    },
    {
      name: 'says that a mute was removed before',
      action: 'unmute',
      fields: { id: 'm1' },
      answers: { 'POST /v1/unmute': { count: 0 } },
      asked: ['POST /v1/unmute', { ids: ['m1'] }],
      said: '200 It was already removed',
    },
    {
      name: 'sets the quiet hours',
      action: 'quiet',
      fields: { from: '22:00', to: '07:00' },
      answers: { 'POST /v1/quiet-hours': config },
      asked: ['POST /v1/quiet-hours', { from: '22:00', to: '07:00' }],
      said: '200 Quiet hours are from 22:00 to 07:00',
    },
    {
      name: 'removes the quiet hours, whatever the fields of their times hold',
      action: 'quiet',
      fields: { from: '22:00', to: '07:00', off: '1' },
      answers: { 'POST /v1/quiet-hours': config },
      asked: ['POST /v1/quiet-hours', { off: true }],
      said: '200 The quiet hours were removed',
    },
    {
      name: 'sends a test through a channel',
      action: 'test',
      fields: { channel: 'team' },
      answers: { 'POST /v1/test': [{ ...tested, outcome: 'delivered', reason: null }] },
      asked: ['POST /v1/test', { channels: ['team'] }],
      said: '200 A test was sent through "team"',
    },
    {
      name: 'says why a test was not sent',
      action: 'test',
      fields: { channel: 'team' },
      answers: {
        'POST /v1/test': [{ ...tested, outcome: 'failed', reason: 'Slack answered 404' }],
      },
      asked: ['POST /v1/test', { channels: ['team'] }],
      said: '422 Not sent: Slack answered 404',
    },
    {
      name: 'says that a channel is unknown if no test came back',
      action: 'test',
      fields: { channel: 'gone' },
      answers: { 'POST /v1/test': [] },
      asked: ['POST /v1/test', { channels: ['gone'] }],
      said: '422 Not sent: the channel is unknown',
    },
  ] satisfies {
    name: string;
    action: string;
    fields: Readonly<Record<string, string>>;
    answers: Answers;
    asked: unknown;
    said: string;
  }[]) {
    test(name, async () => {
      const result = await act(action, fields, { answers });

      assert.deepEqual(result.asked, [asked]);
      assert.equal(result.said, said);
    });
  }
});

describe('runAction()', () => {
  test('knows only its own forms, not what every object has', async () => {
    for (const name of ['', 'nonsense', 'constructor', 'toString']) {
      assert.equal((await act(name, {})).said, '404 The page has no such form');
    }
  });

  test('shows what the daemon refuses, and passes a fault on', async () => {
    const gone = new NotFoundError('No session "s1"');
    const fault = new TypeError('a bug');

    assert.equal(
      (await act('ack', { session: 's1' }, { fails: gone })).said,
      '422 No session "s1"',
    );
    await assert.rejects(act('ack', { session: 's1' }, { fails: fault }), fault);
  });

  for (const [name, asked] of [
    ['ack', ['POST /v1/ack', { session: '' }]],
    ['snooze', ['POST /v1/snooze', { session: '', forMs: 0 }]],
    ['mute', ['POST /v1/mutes', { forMs: 0 }]],
    ['unmute', ['POST /v1/unmute', { ids: [''] }]],
    ['quiet', ['POST /v1/quiet-hours', { from: '', to: '' }]],
    ['test', ['POST /v1/test', { channels: [''] }]],
  ] as const) {
    test(`leaves it to the daemon to refuse "${name}" without its fields`, async () => {
      const seen: unknown[] = [];
      const refusal = new UsageError('It is not valid');

      const { said } = await act(name, {}, { fails: refusal, seen });

      assert.deepEqual(seen, [asked]);
      assert.equal(said, '422 It is not valid');
    });
  }

  test('does not take a decision about no request', async () => {
    const { said, given } = await act(
      'decide',
      { choice: 'allow' },
      { found: { type: 'unknown' } },
    );

    assert.equal(said, '410 The request is no longer open');
    assert.deepEqual(given, []);
  });

  test('lets a browser allow requests after the code of its terminal alone', async () => {
    assert.equal(
      (await act('confirm', { code: '123456' })).said,
      '200 This browser can allow requests now',
    );
    for (const fields of [{ code: '123457' }, {}]) {
      assert.equal((await act('confirm', fields)).said, '403 The code is wrong or has expired');
    }
  });

  test('does not let a browser that may only look change the quiet hours', async () => {
    const { said, asked } = await act('quiet', { off: '1' }, { rights: 'look' });

    assert.equal(said, '403 This browser is not allowed to change that');
    assert.deepEqual(asked, []);
  });
});

describe('the form of a request', () => {
  const form = { question: 'q1', request: HASH, words: 'Use staging' };

  for (const { choice, words, said } of [
    { choice: 'allow', words: null, said: 'Allowed' },
    { choice: 'allow-session', words: null, said: 'Allowed for the session' },
    { choice: 'deny', words: 'Use staging', said: 'Denied' },
  ]) {
    test(`sends "${choice}" to the agent, and what to do instead only with a refusal`, async () => {
      const result = await act('decide', { ...form, choice });

      assert.equal(result.said, `200 ${said}: the answer was sent to the agent`);
      assert.deepEqual(result.given, [
        { choice, requestHash: HASH, words, answers: {}, via: 'page' },
      ]);
    });
  }

  test('sends the answer to a question', async () => {
    const found: FoundQuestion = {
      type: 'open',
      shown: {
        ...shown,
        question: { ...shown.question, choices: ['answer', 'deny'] },
        asks: [{ text: 'Which?', options: ['SQLite', 'Postgres'], several: false }],
      },
    };

    const result = await act('decide', { ...form, choice: 'answer', option0: '1' }, { found });

    assert.equal(result.said, '200 Answered: the answer was sent to the agent');
    assert.deepEqual(result.given[0]?.answers, { 'Which?': 'Postgres' });
  });

  for (const { name, options, choice, said, count } of [
    {
      name: 'is refused for a request that is not known',
      options: { found: { type: 'unknown' } },
      choice: 'allow',
      said: '410 The request is no longer open',
      count: 0,
    },
    {
      name: 'says who was first if the request is closed',
      options: { found: { type: 'closed', reason: 'Denied at 10:00 by ada (pop-up)' } },
      choice: 'allow',
      said: '410 Denied at 10:00 by ada (pop-up)',
      count: 0,
    },
    {
      name: 'is refused for an answer that was not offered',
      options: {},
      choice: 'answer',
      said: '400 Choose one of the offered answers',
      count: 0,
    },
    {
      name: 'says why an answer came too late',
      options: { decided: { ok: false, reason: 'The time to answer it is over' } },
      choice: 'allow',
      said: '410 The time to answer it is over',
      count: 1,
    },
  ] satisfies {
    name: string;
    options: { readonly found?: FoundQuestion; readonly decided?: AnswerResult };
    choice: string;
    said: string;
    count: number;
  }[]) {
    test(name, async () => {
      const result = await act('decide', { ...form, choice }, options);

      assert.equal(result.said, said);
      assert.equal(result.given.length, count);
    });
  }
});

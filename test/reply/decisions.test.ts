import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { describe, test } from 'node:test';

import type { GivenDecision } from '../../src/core/channel.ts';
import type { AnswerResult, OfferedAnswer, Question } from '../../src/core/question.ts';
import {
  answerOf,
  createDecisions,
  decidableIn,
  decidableOf,
  type FoundQuestion,
} from '../../src/reply/decisions.ts';
import type { QuestionDesk } from '../../src/reply/question-desk.ts';
import { sampleShownQuestion } from '../support/sample-views.ts';
import { sampleEvent } from '../support/sample.ts';

const HASH = 'a'.repeat(64);
const AT = new Date(2026, 2, 1, 10, 0).getTime();

type DeskQuestion = ReturnType<QuestionDesk['shown']>[number];

function asked(fields: Partial<Question> = {}, more: Partial<DeskQuestion> = {}): DeskQuestion {
  return { ...sampleShownQuestion(fields), subject: null, ...more };
}

function decisionsWith({
  shown = [],
  kept = [],
  result = { ok: true },
  whyOver,
}: {
  readonly shown?: readonly DeskQuestion[];
  readonly kept?: readonly Question[];
  readonly result?: AnswerResult;
  readonly whyOver?: (id: string) => Promise<string | null>;
}) {
  const given: OfferedAnswer[] = [];
  const decisions = createDecisions({
    questions: {
      shown: () => shown,
      answer: async (_, answer) => {
        given.push(answer);
        return result;
      },
    },
    whyOver,
    store: { questions: { latest: async () => kept } },
  });
  return { decisions, given };
}

const released: Partial<Question> = {
  state: 'released',
  closedAt: AT,
  reason: 'Answered in the terminal',
};

describe('find()', () => {
  test('finds a held request, and says of any other known one why it is closed', async () => {
    const held = asked();
    const answered = asked({
      id: 'q2',
      state: 'answered',
      answer: { choice: 'deny', by: 'ada', via: 'pop-up', at: AT },
    });
    const old = asked({ id: 'q3', ...released }).question;
    const { decisions } = decisionsWith({ shown: [held, answered], kept: [old] });

    assert.deepEqual(await decisions.find('q1'), { type: 'open', shown: held });
    assert.deepEqual(await decisions.find('q2'), {
      type: 'closed',
      reason: 'Denied at 10:00 by ada (pop-up)',
    });
    assert.deepEqual(await decisions.find('q3'), {
      type: 'closed',
      reason: 'Answered in the terminal at 10:00',
    });
    assert.deepEqual(await decisions.find('q4'), { type: 'unknown' });
  });

  test('asks a hub about a request of another machine', async () => {
    const { decisions } = decisionsWith({
      whyOver: async (id) => (id === 'far' ? 'The machine is gone' : null),
    });

    assert.deepEqual(await decisions.find('far'), {
      type: 'closed',
      reason: 'The machine is gone',
    });
    assert.deepEqual(await decisions.find('near'), { type: 'unknown' });
  });
});

describe('heldFor()', () => {
  const event = { id: 'q1', sessionKey: 'claude:s1', subject: 'npm publish' };
  const alike = asked({ id: 'q2' }, { subject: 'npm publish' });

  for (const { name, shown, of = event, found } of [
    { name: 'finds the request of the event itself', shown: [alike, asked()], found: 'q1' },
    {
      name: 'finds the request of the same subject that another hook reported',
      shown: [alike],
      found: 'q2',
    },
    {
      name: 'does not guess between two requests of the same subject',
      shown: [alike, asked({ id: 'q3' }, { subject: 'npm publish' })],
      found: null,
    },
    {
      name: 'does not take the request of another session',
      shown: [asked({ id: 'q2', sessionKey: 'claude:s2' }, { subject: 'npm publish' })],
      found: null,
    },
    {
      name: 'does not take a request of another subject',
      shown: [asked({ id: 'q2' }, { subject: 'npm test' })],
      found: null,
    },
    {
      name: 'does not take requests without a subject for alike',
      shown: [asked({ id: 'q2' })],
      of: { ...event, subject: null },
      found: null,
    },
    {
      name: 'does not take a request that is no longer held',
      shown: [asked(released)],
      found: null,
    },
  ]) {
    test(name, () => {
      const { decisions } = decisionsWith({ shown });

      assert.equal(decisions.heldFor(of)?.question.id ?? null, found);
    });
  }
});

describe('answer()', () => {
  const offered = { choice: 'allow', requestHash: HASH, words: null, answers: {} } as const;

  test('is by the user of this machine, unless a service names an account', async () => {
    const { decisions, given } = decisionsWith({ shown: [asked()] });

    await decisions.answer('q1', { ...offered, via: 'page' });
    await decisions.answer('q1', { ...offered, via: '"team"', by: 'Slack member T1:U1' });

    assert.deepEqual(
      given.map(({ by, via }) => `${by} via ${via}`),
      [`${userInfo().username} via page`, 'Slack member T1:U1 via "team"'],
    );
  });

  test('says who was first if it came too late, and why it was refused otherwise', async () => {
    const result = { ok: false, reason: 'It was refused' } as const;
    const late = decisionsWith({ result, kept: [asked(released).question] });
    const wrong = decisionsWith({ result, shown: [asked()] });
    const answer = { ...offered, via: 'page' };

    assert.deepEqual(await late.decisions.answer('q1', answer), {
      ok: false,
      reason: 'Answered in the terminal at 10:00',
    });
    assert.deepEqual(await wrong.decisions.answer('q1', answer), result);
  });
});

test('isReadable() knows only the links that a file names', () => {
  const { decisions } = decisionsWith({});

  decisions.markReadable('one');

  assert.deepEqual([decisions.isReadable('one'), decisions.isReadable('two')], [true, false]);
});

const offeredTo = (hold: Question['hold'], also: readonly string[], where: 'here' | 'anywhere') => {
  const { decisions } = decisionsWith({ shown: [asked({ hold })] });
  const event = sampleEvent({ id: 'q1', sessionKey: 'claude:s1', subject: null });
  const others = also.map((id) => sampleEvent({ id }));
  return decidableIn(decisions)({ event, also: others }, where, (text) => text)?.question ?? null;
};

describe('decidableIn()', () => {
  test('offers a request anywhere, but at this machine only if coming to it does not let it go', () => {
    assert.deepEqual(
      [
        offeredTo('open', [], 'here'),
        offeredTo('open', [], 'anywhere'),
        offeredTo('away', [], 'anywhere'),
      ],
      ['q1', 'q1', 'q1'],
    );
    assert.equal(offeredTo('away', [], 'here'), null);
  });

  test('offers nothing for a delivery that several events share', () => {
    assert.equal(offeredTo('open', ['e-2'], 'anywhere'), null);
  });
});

const redact = (text: string): string => text.replaceAll('hunter2', '***');

test('decidableOf() only lets a request be denied that is not shown in full', () => {
  const asks = [{ text: 'Which?', options: ['a'], several: false }];
  const choices = ['answer', 'deny'] as const;
  const of = (text: string | null) => decidableOf(asked({ choices }, { text, asks }), redact);

  assert.deepEqual(of('Which?'), {
    question: 'q1',
    requestHash: HASH,
    choices,
    text: 'Which?',
    asks,
  });
  for (const text of ['Is it hunter2?', null]) {
    assert.deepEqual(of(text), {
      question: 'q1',
      requestHash: HASH,
      choices: ['deny'],
      text: null,
      asks: [],
    });
  }
});

describe('answerOf()', () => {
  const decision: GivenDecision = {
    question: 'q1',
    requestHash: HASH,
    choice: 'answer',
    option: null,
    words: null,
  };
  const open: FoundQuestion = {
    type: 'open',
    shown: asked(
      {},
      { asks: [{ text: 'Which?', options: ['SQLite', 'Postgres'], several: false }] },
    ),
  };

  for (const { name, fields, found = open, answers } of [
    {
      name: 'takes the label of the chosen option',
      fields: { option: 1 },
      answers: { 'Which?': 'Postgres' },
    },
    {
      name: 'takes typed words if no option was chosen',
      fields: { words: 'MySQL' },
      answers: { 'Which?': 'MySQL' },
    },
    { name: 'refuses an option that was not offered', fields: { option: 2 }, answers: null },
    { name: 'refuses an empty answer', fields: {}, answers: null },
    {
      name: 'refuses an answer to a request that asks no question',
      fields: { words: 'MySQL' },
      found: { type: 'open', shown: asked() },
      answers: null,
    },
    {
      name: 'leaves an answer to a closed question to those who know why it is closed',
      fields: { option: 1 },
      found: { type: 'closed', reason: 'It is over' },
      answers: {},
    },
  ] satisfies {
    name: string;
    fields: Partial<GivenDecision>;
    found?: FoundQuestion;
    answers: Readonly<Record<string, string>> | null;
  }[]) {
    test(name, () => {
      const answer = answerOf({ ...decision, ...fields }, found, 'page');

      assert.deepEqual(answer?.answers ?? null, answers);
    });
  }

  test('does not pass typed words on as a reason if they are the answer', () => {
    assert.equal(answerOf({ ...decision, words: 'MySQL' }, open, 'page')?.words, null);
  });

  test('passes on a refusal with its words and the account that gave it', () => {
    const denial = { ...decision, choice: 'deny', words: 'Use staging' } as const;

    assert.deepEqual(answerOf(denial, open, '"team"'), {
      choice: 'deny',
      requestHash: HASH,
      words: 'Use staging',
      answers: {},
      via: '"team"',
    });
    assert.equal(
      answerOf({ ...denial, by: 'Slack member T1:U1' }, open, '"team"')?.by,
      'Slack member T1:U1',
    );
  });
});

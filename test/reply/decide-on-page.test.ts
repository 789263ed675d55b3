import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ReplyLink } from '../../src/core/notification.ts';
import type { AnswerResult } from '../../src/core/question.ts';
import { decideOnPage } from '../../src/reply/decide-on-page.ts';
import type { FoundQuestion } from '../../src/reply/decisions.ts';
import { sampleShownQuestion } from '../support/sample-views.ts';

const NOW = 1_000;
const HASH = 'a'.repeat(64);
const link: ReplyLink = {
  tokenHash: 't',
  eventId: 'q1',
  createdAt: 0,
  expiresAt: 5_000,
  usedAt: null,
  outcome: null,
};
const open = { type: 'open', shown: sampleShownQuestion() } as const;
const which = {
  type: 'open',
  shown: sampleShownQuestion(
    { choices: ['deny', 'answer'] },
    {
      asks: [
        { text: 'Which?', options: ['A', 'B'], several: false },
        { text: 'What else?', options: ['C', 'D'], several: true },
      ],
    },
  ),
} as const;

interface World {
  readonly found?: FoundQuestion;
  readonly given?: AnswerResult;
  readonly isReadable?: boolean;
  readonly isDeleted?: boolean;
  readonly now?: number;
}

/** What the page shows after these fields were sent (null: it was opened), and what reached the agent. */
async function decided(fields: string | null, world: World = {}) {
  const { found = open, given = { ok: true }, isReadable = false, isDeleted = false } = world;
  const answers: unknown[] = [];
  const decisions: Parameters<typeof decideOnPage>[2]['decisions'] = {
    find: async () => found,
    answer: async (id, answer) => {
      answers.push([id, answer]);
      return given;
    },
    isReadable: () => isReadable,
  };
  const result = await decideOnPage(link, fields === null ? null : new URLSearchParams(fields), {
    decisions,
    answered: async () =>
      isDeleted ? null : { title: 'shop', body: 'It asks', sessionTitle: null, agent: 'claude' },
    redact: (text) => text.replace('secret', 'gone'),
    now: () => world.now ?? NOW,
  });
  return { status: result?.status, page: result?.page, answers };
}

describe('decideOnPage()', () => {
  test('shows the request while the link is valid', async () => {
    const { status, page } = await decided(null);

    assert.ok(page?.type === 'decision');
    assert.deepEqual([status, page.forMs, page.limit, page.trouble], [200, 4_000, null, null]);
    assert.deepEqual(page.request.choices, ['allow', 'deny']);
    assert.equal((await decided(null, { now: 4_999 })).status, 200);
    assert.equal((await decided(null, { now: 5_000 })).page, undefined);
    assert.equal((await decided(null, { isDeleted: true })).page, undefined);
    assert.equal((await decided(null, { found: { type: 'unknown' } })).page, undefined);
  });

  test('only denies where the request cannot be shown, or where others may have read the link', async () => {
    const hidden = { type: 'open', shown: sampleShownQuestion({}, { text: 'a secret' }) } as const;
    for (const world of [{ found: hidden }, { isReadable: true }]) {
      const { page } = await decided(null, world);

      assert.ok(page?.type === 'decision');
      assert.deepEqual(page.request.choices, ['deny']);
      assert.notEqual(page.limit, null);
      assert.equal((await decided(`choice=allow&request=${HASH}`, world)).status, 400);
    }
  });

  test('passes on what was chosen, with words only for a refusal', async () => {
    const allowed = await decided(`choice=allow&request=${HASH}&words=x`);
    const denied = await decided(`choice=deny&request=${HASH}&words=+No%0D%0Anever+`);
    const silent = await decided('choice=deny&words=+');

    const rest = { via: 'reply page', answers: {} };
    assert.deepEqual(allowed.answers, [
      ['q1', { choice: 'allow', requestHash: HASH, words: null, ...rest }],
    ]);
    assert.deepEqual(denied.answers, [
      ['q1', { choice: 'deny', requestHash: HASH, words: 'No\nnever', ...rest }],
    ]);
    assert.deepEqual(silent.answers, [
      ['q1', { choice: 'deny', requestHash: '', words: null, ...rest }],
    ]);
    assert.ok(allowed.page?.type === 'closed' && denied.page?.type === 'closed');
    assert.deepEqual([allowed.status, allowed.page.tone], [200, 'good']);
    assert.deepEqual([allowed.page.heading, denied.page.heading], ['Allowed', 'Denied']);
  });

  const forms: readonly (readonly [string, object | null])[] = [
    ['option0=1', { 'Which?': 'B' }],
    ['option0=1&text0=Other', { 'Which?': 'Other' }],
    ['option1=0&option1=1&text1=E', { 'What else?': 'C, D, E' }],
    ['option0=0&option1=1', { 'Which?': 'A', 'What else?': 'D' }],
    ['option0=7', null],
    ['text0=+', null],
    ['', null],
  ];
  for (const [form, wanted] of forms) {
    test(`reads the answers in "${form}"`, async () => {
      const { status, answers } = await decided(`choice=answer&${form}`, { found: which });

      const answer = { choice: 'answer', requestHash: '', words: null, via: 'reply page' };
      assert.equal(status, wanted === null ? 400 : 200);
      assert.deepEqual(answers, wanted === null ? [] : [['q1', { ...answer, answers: wanted }]]);
    });
  }

  test('sends nothing without a choice that is offered', async () => {
    for (const form of ['', 'choice=answer', 'choice=allow-session']) {
      const { status, page, answers } = await decided(form);

      assert.deepEqual([status, page?.type, answers], [400, 'decision', []]);
    }
  });

  test('says why it is too late, and keeps what was typed', async () => {
    const reason = 'Answered in the terminal';
    for (const world of [
      { found: { type: 'closed', reason } },
      { given: { ok: false, reason } },
    ] as const) {
      const { status, page } = await decided('choice=deny&words=Wait', world);

      assert.ok(page?.type === 'closed');
      assert.deepEqual(
        [status, page.tone, page.draft, page.lines[0]],
        [410, 'bad', 'Wait', reason],
      );
    }
    const opened = await decided(null, { found: { type: 'closed', reason } });
    assert.ok(opened.page?.type === 'closed');
    assert.equal(opened.page.draft, null);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { ReplyLink } from '../../src/core/notification.ts';
import { sha256 } from '../../src/platform/crypto.ts';
import { silentLog } from '../../src/platform/log.ts';
import { type Posted, tokenOf } from '../../src/reply/answer-by-link.ts';
import { type ReplyPageParts, serveReplyPage } from '../../src/reply/serve-reply-page.ts';
import { askPage, postForm } from '../support/reply-page-home.ts';

const TOKEN = tokenOf(new Uint8Array(32).fill(7));
const OTHER = tokenOf(new Uint8Array(32).fill(8));
const NOW = 1_700_000_000_000;
const note = { title: 'Tests', body: 'Which ones?', sessionTitle: null, agent: 'droid' } as const;

interface PageFields {
  readonly posted?: Posted;
  readonly link?: Partial<ReplyLink>;
  readonly answered?: ReplyPageParts['answered'];
  readonly now?: () => number;
}

/** The page with one link, whose answer ends as `posted`. */
async function page({
  posted = { type: 'sent', lines: ['Done'] },
  link: fields = {},
  answered = async () => note,
  now = () => NOW,
}: PageFields = {}) {
  let link: ReplyLink = {
    tokenHash: sha256(TOKEN),
    eventId: 'e',
    createdAt: NOW,
    expiresAt: NOW + 1_000,
    usedAt: null,
    outcome: null,
    ...fields,
  };
  const texts: string[] = [];
  const looked: string[] = [];
  const server = await serveReplyPage(
    { host: '127.0.0.1', port: 0 },
    {
      links: {
        find: async (hash) => (hash === link.tokenHash ? link : null),
        async use(_, at) {
          if (link.usedAt !== null || link.expiresAt <= at) return false;
          link = { ...link, usedAt: at };
          return true;
        },
        async recordOutcome(_, outcome) {
          link = outcome === 'refused' ? { ...link, usedAt: null } : { ...link, outcome };
        },
      },
      answered,
      async post(_, text) {
        texts.push(text);
        return posted;
      },
      decisions: {
        find: async () => ({ type: 'unknown' }),
        isReadable: () => false,
        answer: () => Promise.reject(new Error('There is no question')),
      },
      redact: (text) => text,
      onLook: ({ eventId }) => void looked.push(eventId),
      now,
      log: silentLog,
    },
  );
  return {
    texts,
    looked,
    origin: server.origin,
    url: `${server.origin}/reply/${TOKEN}`,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

describe('serveReplyPage()', () => {
  test('knows no other address than those of links, and keeps what was written for another', async () => {
    await using served = await page();
    const unknown = `${served.origin}/reply/${OTHER}`;

    const seen = [
      await askPage(`${served.origin}/`),
      await askPage(`${served.origin}/reply/x`),
      await askPage(unknown),
      await postForm(unknown, 'My words'),
    ];

    for (const { status, body } of seen) {
      assert.equal(status, 404);
      assert.match(body, /Unknown link/);
    }
    assert.match(seen[3]?.body ?? '', /readonly>My words</);
    assert.deepEqual([served.looked, served.texts], [[], []]);
  });

  test('refuses other methods, requests that are not for a page, and forms of other sites', async () => {
    await using served = await page();

    for (const [status, reason, options] of [
      [405, /use GET or POST/, { method: 'PUT' }],
      [405, /use GET or POST/, { method: 'DELETE' }],
      [403, /It was not requested as a page/, { headers: { 'sec-fetch-mode': 'no-cors' } }],
      [403, /It was not requested as a page/, { headers: { 'sec-fetch-dest': 'iframe' } }],
      [403, /It does not come from this page/, { method: 'POST' }],
    ] as const) {
      const answer = await askPage(served.url, options);
      assert.equal(answer.status, status);
      assert.match(answer.body, reason);
    }
    const foreign = await postForm(served.url, 'x', { 'sec-fetch-site': 'cross-site' });
    const typed = await postForm(served.url, 'x', { 'content-type': 'text/plain' });
    assert.deepEqual([foreign.status, typed.status], [403, 403]);
    assert.deepEqual([served.looked, served.texts], [[], []]);
  });

  test('says so where the answer is empty, and takes the next one', async () => {
    await using served = await page();
    const blank = await postForm(served.url, ' \r\n');
    const bare = await askPage(served.url, {
      method: 'POST',
      headers: {
        origin: served.origin,
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
      },
      body: 'words=x',
    });

    for (const { status, body } of [blank, bare]) {
      assert.equal(status, 400);
      assert.match(body, /The answer is empty/);
    }
    assert.equal((await postForm(served.url, 'Now')).status, 200);
    assert.deepEqual(served.texts, ['Now']);
  });

  test('takes one answer, and says so to the next and to one who looks', async () => {
    await using served = await page();

    const sent = await postForm(served.url, 'first');
    const again = await postForm(served.url, 'second');
    const looked = await askPage(served.url);

    assert.match(sent.body, /Sent[^]*Done/);
    for (const { status, body } of [again, looked]) {
      assert.equal(status, 410);
      assert.match(body, /Already answered[^]*An answer was sent\./);
    }
    assert.match(again.body, /readonly>second</);
    assert.deepEqual(served.texts, ['first']);
  });

  for (const [posted, status, shown] of [
    [{ type: 'refused', reason: 'The session is busy' }, 502, /The session is busy[^]*>My words</],
    [
      { type: 'busy', reason: 'It is on its way' },
      409,
      /Sending in progress[^]*It is on its way[^]*readonly>My words</,
    ],
    [
      { type: 'unknown', reason: 'The connection broke' },
      502,
      /Cannot determine whether it arrived[^]*The connection broke[^]*readonly>My words</,
    ],
    [{ type: 'answered', reason: 'Another was sent' }, 410, /Already answered/],
  ] as const) {
    test(`keeps the text of an answer that ended as "${posted.type}"`, async () => {
      await using served = await page({ posted });

      const answer = await postForm(served.url, 'My words');

      assert.equal(answer.status, status);
      assert.match(answer.body, shown);
    });
  }

  test('does not claim that an answer arrived whose outcome is unknown', async () => {
    await using served = await page({
      posted: { type: 'unknown', reason: 'The connection broke' },
    });
    await postForm(served.url, 'My words');

    const { status, body } = await askPage(served.url);

    assert.equal(status, 410);
    assert.match(body, /whether it arrived is unknown/);
  });

  test('a refused answer can be sent again', async () => {
    await using served = await page({ posted: { type: 'refused', reason: 'The session is busy' } });

    const sent = [await postForm(served.url, 'one'), await postForm(served.url, 'two')];

    assert.deepEqual(
      sent.map(({ status }) => status),
      [502, 502],
    );
    assert.deepEqual(served.texts, ['one', 'two']);
  });

  test('shows no form for a message that was deleted, and keeps what was written', async () => {
    await using served = await page({
      answered: async () => null,
      posted: { type: 'refused', reason: 'The session is busy' },
    });

    const looked = await askPage(served.url);
    const posted = await postForm(served.url, 'My words');

    assert.deepEqual([looked.status, posted.status], [404, 404]);
    assert.doesNotMatch(looked.body, /readonly/);
    assert.match(posted.body, /readonly>My words</);
  });

  test('shows no form for a link that has expired, with and without a text', async () => {
    await using served = await page({ link: { expiresAt: NOW } });

    const looked = await askPage(served.url);
    const empty = await postForm(served.url, ' ');

    for (const { status, body } of [looked, empty]) {
      assert.equal(status, 410);
      assert.match(body, /This link has expired/);
    }
  });

  test('an error leads to a page that does not contain it', async () => {
    await using served = await page({
      answered: () => Promise.reject(new Error('select from secret')),
    });

    const { status, body } = await askPage(served.url);

    assert.equal(status, 500);
    assert.match(body, /see "hookbell logs"|see &quot;hookbell logs&quot;/);
    assert.doesNotMatch(body, /secret/);
  });
});

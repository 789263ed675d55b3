import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sha256 } from '../../src/platform/crypto.ts';
import { silentLog } from '../../src/platform/log.ts';
import type { ReplyLink } from '../../src/core/notification.ts';
import { type Posted, tokenIn, tokenOf } from '../../src/reply/answer-by-link.ts';
import type { Decisions } from '../../src/reply/decisions.ts';
import { serveReplyPage } from '../../src/reply/serve-reply-page.ts';
import { manualClock } from '../support/manual-clock.ts';
import { askPage, postForm } from '../support/reply-page-home.ts';

const TOKEN = tokenOf(new Uint8Array(32).fill(7));
const HOUR = 3_600_000;
const HOSTILE = '\u202eevil\u001b[31m</textarea></blockquote><script>alert(1)</script>"\'&\u0000';

/** No request waits for a decision. */
const noDecisions: Decisions = {
  heldFor: () => null,
  find: async () => ({ type: 'unknown' }),
  markReadable: () => undefined,
  isReadable: () => false,
  answer: () => Promise.reject(new Error('There is no question')),
};

/** The page with one link, which gives the answer `posted`. */
async function page(posted: Posted = { type: 'sent', lines: ['Done'] }) {
  const clock = manualClock();
  let link: ReplyLink = {
    tokenHash: sha256(TOKEN),
    eventId: 'e',
    createdAt: clock.now(),
    expiresAt: clock.now() + HOUR,
    usedAt: null,
    outcome: null,
  };
  const texts: string[] = [];
  const server = await serveReplyPage(
    { host: '127.0.0.1', port: 0 },
    {
      links: {
        find: async (hash) => (hash === link.tokenHash ? link : null),
        async use(hash, now) {
          if (hash !== link.tokenHash || link.usedAt !== null || link.expiresAt <= now)
            return false;
          link = { ...link, usedAt: now };
          return true;
        },
        async recordOutcome(_, outcome) {
          link = outcome === 'refused' ? { ...link, usedAt: null } : { ...link, outcome };
        },
      },
      answered: async () => ({
        title: HOSTILE,
        body: HOSTILE,
        sessionTitle: HOSTILE,
        agent: 'droid',
      }),
      async post(_, text) {
        texts.push(text);
        return posted;
      },
      decisions: noDecisions,
      redact: (text) => text,
      onLook: () => undefined,
      now: clock.now,
      log: silentLog,
    },
  );
  return {
    clock,
    texts,
    url: `${server.origin}/reply/${TOKEN}`,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

describe('serveReplyPage()', () => {
  test('runs no script, stands in no frame and is kept nowhere', async () => {
    await using served = await page();

    const [one, other] = [await askPage(served.url), await askPage(served.url)];

    const policy = String(one.headers['content-security-policy']);
    assert.match(
      policy,
      /^default-src 'none'; style-src 'nonce-[\w-]{22}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    assert.notEqual(policy, other.headers['content-security-policy']);
    assert.equal(one.headers['cache-control'], 'no-store');
    assert.equal(one.headers['x-frame-options'], 'DENY');
    assert.equal(one.headers['referrer-policy'], 'same-origin');
    assert.equal(one.headers['x-content-type-options'], 'nosniff');
    assert.equal(one.headers['access-control-allow-origin'], undefined);
  });

  test('shows hostile texts as texts, on the form and in what is kept (T7, fault 52)', async () => {
    await using served = await page({ type: 'unknown', reason: HOSTILE });

    const form = await askPage(served.url);
    const kept = await postForm(served.url, HOSTILE);

    for (const { body } of [form, kept]) {
      const outside = body.replace(/<textarea[^]*?<\/textarea>/g, '');
      assert.ok(!outside.includes('\u202e') && !outside.includes('\u001b'), body);
      assert.equal(body.split('</textarea>').length, 2);
      assert.ok(!body.includes('<script'));
    }
  });

  test('a link is too old to the millisecond, and then keeps what was written', async () => {
    await using served = await page();

    await served.clock.advance(HOUR - 1);
    const before = await askPage(served.url);
    await served.clock.advance(1);
    const after = await askPage(served.url);
    const posted = await postForm(served.url, 'My words');

    assert.deepEqual([before.status, after.status, posted.status], [200, 410, 410]);
    assert.match(posted.body, /This link has expired[^]*readonly>My words</);
    assert.deepEqual(served.texts, []);
  });

  test('gives the agent the lines as they were typed', async () => {
    await using served = await page();

    await postForm(served.url, '\r\nfirst\r\n  second ✓');

    assert.deepEqual(served.texts, ['\nfirst\n  second ✓']);
  });

  test('refuses a form that is too long without using the link', async () => {
    await using served = await page();

    const { status } = await postForm(served.url, 'x'.repeat(1_100_000)).catch(() => ({
      status: 413,
    }));

    assert.equal(status, 413);
    assert.equal((await postForm(served.url, 'short')).status, 200);
  });
});

describe('tokenOf()', () => {
  test('makes tokens of 256 bits, and tokenIn() takes nothing else', () => {
    assert.equal(TOKEN.length, 43);
    assert.equal(tokenIn(`/reply/${TOKEN}`), TOKEN);
    for (const url of [
      '/reply/',
      `/reply/${TOKEN}/`,
      `/reply/${TOKEN}?x=1`,
      `/x/${TOKEN}`,
      `/reply/${TOKEN}A`,
      `/reply/${TOKEN.slice(1)}`,
      '/reply/%00',
      undefined,
    ]) {
      assert.equal(tokenIn(url), null, url);
    }
    assert.throws(() => tokenOf(new Uint8Array(16)), /too few bytes/);
  });
});

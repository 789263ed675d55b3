import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { describe, test } from 'node:test';

import { pageAssets } from '../../src/page/page-assets.ts';
import { askPage } from '../support/reply-page-home.ts';
import { sampleSessionView, sampleShownQuestion } from '../support/sample-views.ts';
import { cookieOf, openStream, post, servedPage, tokenIn } from '../support/served-page.ts';
import { until } from '../support/until.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const shown = sampleShownQuestion();
const waiting = { answers: { 'GET /v1/sessions': [sampleSessionView()] }, questions: [shown] };
const decision = { question: 'q1', request: 'a'.repeat(64), choice: 'allow', words: '' };

describe('signing in', () => {
  test('a link signs one browser in, once and within 5 minutes; looking at it does not use it', async () => {
    await using page = await servedPage();
    const link = (): string =>
      `${page.origin}/open/${page.host.access.makeLink({ rights: 'decide', withCode: false }).token}`;
    const [used, late] = [link(), link()];

    const looks = [await askPage(used), await askPage(used)];
    const first = await post(used, {});
    const second = await post(used, {});
    const lookedAgain = await askPage(used);
    await page.clock.advance(5 * MINUTE);
    const expired = await post(late, {});

    assert.deepEqual(
      looks.map(({ status }) => status),
      [200, 200],
    );
    assert.deepEqual([first.status, first.headers['location']], [303, new URL(page.root).pathname]);
    assert.match(
      String(first.headers['set-cookie']),
      /^hookbell=[\w-]{43}; Path=\/[\w-]{12}\/; Max-Age=\d+; HttpOnly; SameSite=Strict$/,
    );
    assert.deepEqual([second.status, lookedAgain.status, expired.status], [410, 410, 410]);
    assert.match(second.body, /hookbell open --sign-out/);
  });

  test('without a cookie, with a wrong one or with a wrong key, nothing is shown', async () => {
    await using page = await servedPage(waiting);
    const { cookie } = await page.signIn();

    const answers = await Promise.all([
      askPage(page.origin),
      askPage(page.root),
      askPage(page.root, { headers: { cookie: `hookbell=${'x'.repeat(43)}` } }),
      askPage(`${page.origin}/wrongkey1234/`, { headers: { cookie } }),
      askPage(`${page.root}timeline`),
      askPage(`${page.root}live?view=sessions`),
      post(`${page.root}do/decide`, decision),
    ]);

    for (const { status, body } of answers) {
      assert.equal(status, 401);
      assert.ok(!body.includes('npm publish') && !body.includes(page.host.access.key));
    }
    assert.equal((await askPage(page.root, { headers: { cookie } })).status, 200);
  });

  test('only hashes of links and cookies are kept, in a private file, and a restart keeps browsers signed in', async () => {
    await using page = await servedPage();
    const { token } = page.host.access.makeLink({ rights: 'decide', withCode: false });
    const { cookie } = await page.signIn();
    const value = cookie.split('=')[1] ?? '';

    const kept = readFileSync(page.sessionsFile, 'utf8');
    const again = await page.restart();

    assert.ok(!kept.includes(value) && !kept.includes(token));
    assert.equal(statSync(page.sessionsFile).mode & 0o777, 0o600);
    assert.equal(again.access.find([value])?.rights, 'decide');
    assert.equal(again.access.key, page.host.access.key);
  });

  test('a session ends when it signs out, after 30 days without use, and with all others', async () => {
    await using page = await servedPage();
    const [one, two, three] = [await page.signIn(), await page.signIn(), await page.signIn()];
    const status = async ({ cookie }: { readonly cookie: string }): Promise<number> =>
      (await askPage(page.root, { headers: { cookie } })).status;
    const token = tokenIn(await askPage(page.root, { headers: { cookie: one.cookie } }));

    await post(`${page.root}do/sign-out`, { token }, { cookie: one.cookie });
    const afterSignOut = [await status(one), await status(two)];
    await page.clock.advance(20 * DAY);
    await status(two);
    await page.clock.advance(20 * DAY);
    const later = [await status(two), await status(three)];
    page.host.access.endAll();

    assert.deepEqual(afterSignOut, [401, 200]);
    assert.deepEqual(later, [200, 401]);
    assert.equal(await status(two), 401);
    assert.equal(page.host.access.hasSessions(), false);
  });

  test('behind the proxy, the cookie is for https only, and its form must come from there', async () => {
    await using page = await servedPage({ url: 'https://bell.example.org' });
    const { token } = page.host.access.makeLink({ rights: 'decide', withCode: false });
    const link = `${page.origin}/open/${token}`;
    const host = 'bell.example.org';

    const local = await post(link, {}, { host });
    const proxied = await post(link, {}, { host, origin: 'https://bell.example.org' });
    const cookie = cookieOf(proxied);
    const there = await askPage(page.root, { headers: { host, cookie } });
    const here = await askPage(page.root, { headers: { cookie } });

    assert.equal(local.status, 403);
    assert.match(String(proxied.headers['set-cookie']), /^__Secure-hookbell=.*; Secure$/);
    assert.deepEqual([there.status, here.status], [200, 401]);
  });
});

describe('requests from elsewhere', () => {
  test('another Host is refused everywhere (DNS rebinding)', async () => {
    await using page = await servedPage(waiting);
    const { cookie } = await page.signIn();

    for (const path of [page.root, `${page.root}live?view=sessions`, page.origin]) {
      const { status } = await askPage(path, { headers: { host: 'evil.test', cookie } });
      assert.equal(status, 421);
    }
  });

  test('a form of another site, without its token or of another type decides nothing', async () => {
    await using page = await servedPage(waiting);
    const { cookie } = await page.signIn();
    const other = await page.signIn();
    const token = tokenIn(await askPage(page.root, { headers: { cookie } }));
    const foreign = tokenIn(await askPage(page.root, { headers: { cookie: other.cookie } }));
    const url = `${page.root}do/decide`;

    const answers = [
      await post(url, { ...decision, token }, { cookie, origin: 'https://evil.test' }),
      await post(url, { ...decision, token }, { cookie, origin: 'null' }),
      await post(url, { ...decision, token }, { cookie, 'sec-fetch-site': 'same-site' }),
      await post(url, { ...decision, token }, { cookie, 'content-type': 'text/plain' }),
      await post(url, decision, { cookie }),
      await post(url, { ...decision, token: foreign }, { cookie }),
    ];
    const own = await post(url, { ...decision, token }, { cookie });

    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 403, 403, 403, 403, 403],
    );
    assert.equal(own.status, 303);
    assert.equal(page.given.length, 1);
  });

  test('no site can frame, embed or follow it, and no inline script or style runs', async () => {
    await using page = await servedPage(waiting);
    const { cookie } = await page.signIn();

    const { headers, body } = await askPage(page.root, { headers: { cookie } });
    const framed = await askPage(page.root, {
      headers: { cookie, 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    });
    const followed = await askPage(`${page.root}live?view=sessions`, {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
    });

    const policy = String(headers['content-security-policy']);
    assert.ok(
      policy.startsWith("default-src 'none';") && policy.includes("frame-ancestors 'none'"),
    );
    assert.ok(!/unsafe|nonce|https?:|\*/.test(policy));
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.equal(headers['cache-control'], 'no-store');
    assert.ok(!/<style|style="|\son\w+=|<script(?! src=)/.test(body));
    assert.deepEqual([framed.status, followed.status], [403, 403]);
  });
});

describe('who may allow', () => {
  test('a browser that a file led here can deny; a code from the terminal lets it allow', async () => {
    await using page = await servedPage(waiting);
    const { cookie, code } = await page.signIn('look', true);
    const before = await askPage(page.root, { headers: { cookie } });
    const token = tokenIn(before);
    const send = (name: string, fields: object) =>
      post(`${page.root}do/${name}`, { token, ...fields }, { cookie });

    const allowed = await send('decide', decision);
    const denied = await send('decide', { ...decision, choice: 'deny' });
    const wrong = await send('confirm', { code: code === '000000' ? '000001' : '000000' });
    const quiet = await send('quiet', { from: '00:00', to: '23:59' });
    const right = await send('confirm', { code: ` ${code?.slice(0, 3)} ${code?.slice(3)}` });
    const after = await send('decide', decision);

    assert.ok(!before.body.includes('value="allow"') && before.body.includes('value="deny"'));
    assert.deepEqual([allowed.status, denied.status, wrong.status], [400, 303, 403]);
    assert.equal(quiet.status, 403);
    assert.deepEqual(page.asked, []);
    assert.deepEqual([right.status, after.status], [303, 303]);
    assert.deepEqual(
      page.given.map(({ choice, via }) => [choice, via]),
      [
        ['deny', 'page'],
        ['allow', 'page'],
      ],
    );
  });

  test('a code takes five guesses and ten minutes, and only in the browser of its link', async () => {
    await using page = await servedPage(waiting);
    const guess = async (cookie: string, code: string): Promise<number> => {
      const token = tokenIn(await askPage(page.root, { headers: { cookie } }));
      return (await post(`${page.root}do/confirm`, { token, code }, { cookie })).status;
    };
    const [guessed, late, other] = [
      await page.signIn('look', true),
      await page.signIn('look', true),
      await page.signIn('look', false),
    ];

    const elsewhere = await guess(other.cookie, guessed.code ?? '');
    for (let count = 0; count < 5; count += 1) await guess(guessed.cookie, 'none');
    const sixth = await guess(guessed.cookie, guessed.code ?? '');
    await page.clock.advance(10 * MINUTE);

    assert.deepEqual(
      [elsewhere, sixth, await guess(late.cookie, late.code ?? '')],
      [403, 403, 403],
    );
  });

  test('a request with a secret is shown without it and can only be denied; another hash reaches the desk as it is', async () => {
    const secret = { ...shown, text: 'Bash\n  command: curl -u me:hunter2 x.test' };
    await using page = await servedPage({ ...waiting, questions: [secret] });
    const { cookie } = await page.signIn();
    const { body } = await askPage(page.root, { headers: { cookie } });
    const token = tokenIn({ status: 200, headers: {}, body });

    const allowed = await post(`${page.root}do/decide`, { token, ...decision }, { cookie });
    const otherHash = { ...decision, request: 'b'.repeat(64), choice: 'deny', token };
    await post(`${page.root}do/decide`, otherHash, { cookie });

    assert.ok(!body.includes('hunter2') && !body.includes('value="allow"'));
    assert.equal(allowed.status, 400);
    assert.equal(page.given[0]?.requestHash, 'b'.repeat(64));
  });
});

test('connections are bounded, and end when their browser signs out', async () => {
  await using page = await servedPage();
  const { cookie } = await page.signIn();
  const token = tokenIn(await askPage(page.root, { headers: { cookie } }));
  const streams = [];
  for (let count = 0; count < 24; count += 1) {
    streams.push(await openStream(`${page.root}live?view=sessions`, { cookie }));
  }
  using extra = await openStream(`${page.root}live?view=sessions`, { cookie });

  const answer = await askPage(`${page.root}alive`, { headers: { cookie } });
  await post(`${page.root}do/sign-out`, { token }, { cookie });
  await Promise.all(streams.map(({ ended }) => ended));

  assert.ok(streams.every(({ status }) => status === 200));
  assert.deepEqual([extra.status, answer.status], [503, 204]);
});

test('a browser gets what changed, and everything if it has another version', async () => {
  const sessions = [sampleSessionView({ key: 'a', title: 'First' })];
  await using page = await servedPage({ answers: { 'GET /v1/sessions': sessions } });
  const { cookie } = await page.signIn();
  const { body } = await askPage(page.root, { headers: { cookie } });
  const version = /data-version="([^"]+)"/.exec(body)?.[1] ?? '';
  const live = `${page.root}live?view=sessions`;
  using current = await openStream(`${live}&version=${encodeURIComponent(version)}`, { cookie });
  using stranger = await openStream(`${live}&version=earlier.7`, { cookie });
  await until(() => stranger.text().includes('First'));

  sessions.push(sampleSessionView({ key: 'b', title: 'Second' }));
  page.changed.emit();
  await until(() => current.text().includes('Second') && stranger.text().includes('Second'));

  assert.ok(!current.text().includes('First'));
  assert.match(current.text(), /^id: [\w-]+\.2$/m);
});

test('a long list is sent once, and then only what changed', async () => {
  const title = 'A title that is long enough to fill the buffer of the connection. '.repeat(4);
  const sessions = Array.from({ length: 200 }, (_, index) =>
    sampleSessionView({ key: `k${index}`, title: `${index}: ${title}` }),
  );
  await using page = await servedPage({ answers: { 'GET /v1/sessions': sessions } });
  const { cookie } = await page.signIn();
  using stream = await openStream(`${page.root}live?view=sessions`, { cookie });
  const sent = (): number => stream.text().match(/^id: /gm)?.length ?? 0;
  await until(() => stream.text().includes('199: A title'));

  for (const text of ['Second', 'Third']) {
    sessions[0] = sampleSessionView({ key: 'k0', title: text });
    page.changed.emit();
    await until(() => stream.text().includes(text));
  }

  assert.ok(sent() <= 4, `${sent()} messages`);
});

test('every icon of the manifest, and that for iOS, is served as a picture of its size', async () => {
  await using page = await servedPage();
  const { cookie } = await page.signIn();
  const { body } = await askPage(page.root, { headers: { cookie } });
  const manifest = String(pageAssets.get('manifest.webmanifest')?.content);
  const listed = JSON.parse(manifest).icons.map(({ src }: { readonly src: string }) => src);
  const apple = /rel="apple-touch-icon" href="[^"]*\/([^"/]+)"/.exec(body)?.[1] ?? '';

  for (const name of [...listed, apple].filter((one) => one !== 'icon.svg')) {
    const content = Buffer.from(pageAssets.get(name)?.content ?? '');
    const size = Number(/^icon-(\d+)\.png$/.exec(name)?.[1]);
    assert.equal(content.subarray(1, 4).toString(), 'PNG', name);
    assert.deepEqual([content.readUInt32BE(16), content.readUInt32BE(20)], [size, size], name);
  }
  assert.equal(apple, 'icon-180.png');
  assert.ok(listed.includes('icon-192.png') && listed.includes('icon-512.png'));
});

test('all that the page ships is at most 60 KB', () => {
  const bytes = [...pageAssets.values()].map(({ content }) => Buffer.byteLength(content));

  assert.ok(bytes.reduce((sum, size) => sum + size, 0) <= 60 * 1024);
});

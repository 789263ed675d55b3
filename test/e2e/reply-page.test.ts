import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import PostalMime from 'postal-mime';

import type { Effect } from '../support/reference-service/faults/effects.ts';
import { startBrowser } from '../support/browser.ts';
import { until } from '../support/hookbell-home.ts';
import { openHttpEndpoint } from '../support/http-endpoint.ts';
import { needsOtherUser, runAsOther } from '../support/other-user.ts';
import { askPage, postForm, replyPageHome } from '../support/reply-page-home.ts';
import { needs } from '../support/system-part.ts';

const TEXT = 'Take the second plan, & mind <the> tests';

/** Sends the form, and kills the daemon between the arrival of the answer and its record; then another daemon runs. */
async function cutOff(
  home: Awaited<ReturnType<typeof replyPageHome>>,
  link: string,
): Promise<void> {
  const over = home.mock.fault({
    match: { method: 'POST' },
    effect: { kind: 'hang', when: 'after' },
  });
  const cut = postForm(link, TEXT).catch(() => null);
  await until(() => home.arrived(TEXT) === 1);
  await home.place.killDaemon();
  over();
  await home.place.start();
  assert.equal(await cut, null);
}

describe('the reply page', () => {
  test(
    'is opened from Slack in a real browser, answers the agent once, and shows the receipt',
    { skip: needs('chromium') },
    async () => {
      await using home = await replyPageHome();
      const link = await home.link(
        'Which of the <two> plans\u202e? <script>document.title="x"</script>',
      );
      await using browser = await startBrowser();

      await browser.open(link);
      const shown = await browser.read('document.body.innerText');
      await browser.type(TEXT);
      await browser.click('button');
      const receipt = await browser.read('document.body.innerText');
      await browser.open(link);
      const again = await browser.read('document.body.innerText');

      assert.ok(shown.includes(home.session.title ?? 'a title'), shown);
      assert.match(shown, /Which of the <two> plans\? <script>document\.title="x"<\/script>/);
      assert.match(receipt, /^Sent\s+Verified: the session has your exact text\./);
      assert.match(again, /Already answered\s+An answer was sent\./);
      assert.equal(home.arrived(TEXT), 1);
    },
  );

  test('is linked in a mail, in both of its parts, and says that it opens on the machine alone', async () => {
    await using home = await replyPageHome({ notify: 'team, mail' });
    await home.link();
    const mails: string[] = [];
    await until(() => {
      mails.push(...home.smtp.takeMails().map(({ raw }) => String(raw)));
      return mails.length >= 2;
    });

    const mail = await PostalMime.parse(mails.at(-1) ?? '');

    assert.match(
      mail.text ?? '',
      /Answer the agent: http:\/\/127\.0\.0\.1:\d+\/reply\/[\w-]{43}\nOpens only in a browser on the machine ".+", works once, for 12 h\./,
    );
    assert.match(mail.html ?? '', /<a href="http:\/\/127\.0\.0\.1:\d+\/reply\/[\w-]{43}"/);
    assert.match(home.slack.requests.at(-1)?.body ?? '', /Opens only in a browser on the machine /);
  });

  test('is not used up by previews, and refuses other sites, rebound names, frames and wrong tokens (T17, T19)', async () => {
    await using home = await replyPageHome();
    const link = await home.link();
    const path = new URL(link).pathname;
    const other = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`;

    for (const agent of ['Slackbot-LinkExpanding 1.0', 'Googlebot', 'curl/8']) {
      assert.equal((await askPage(link, { headers: { 'user-agent': agent } })).status, 200, agent);
      assert.equal((await askPage(link, { method: 'HEAD' })).status, 200);
    }
    const statuses = {
      wrongToken: (await askPage(other)).status,
      wrongTokenPost: (await postForm(other, TEXT)).status,
      noToken: (await askPage(`${home.origin}/reply/`)).status,
      root: (await askPage(home.origin)).status,
      rebound: (await askPage(link, { headers: { host: 'evil.test:80' } })).status,
      reboundPost: (await postForm(link, TEXT, { host: 'evil.test', origin: 'http://evil.test' }))
        .status,
      localhost: (await askPage(link, { headers: { host: `localhost:${new URL(link).port}` } }))
        .status,
      frame: (
        await askPage(link, {
          headers: { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
        })
      ).status,
      script: (await askPage(link, { headers: { 'sec-fetch-mode': 'cors' } })).status,
      crossOrigin: (await postForm(link, TEXT, { origin: 'https://evil.test' })).status,
      nullOrigin: (await postForm(link, TEXT, { origin: 'null' })).status,
      crossSite: (await postForm(link, TEXT, { 'sec-fetch-site': 'cross-site' })).status,
      otherPort: (await postForm(link, TEXT, { 'sec-fetch-site': 'same-site' })).status,
      noOrigin: (
        await askPage(link, {
          method: 'POST',
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          body: 'text=x',
        })
      ).status,
      json: (await postForm(link, TEXT, { 'content-type': 'application/json' })).status,
      get: (await askPage(`${home.origin}${path}?text=x`)).status,
      put: (await askPage(link, { method: 'PUT' })).status,
      empty: (await postForm(link, ' \n')).status,
    };
    const before = home.mock.requests().filter(({ method }) => method === 'POST').length;
    const posted = await postForm(link, TEXT);
    const replayed = await postForm(link, TEXT);

    assert.deepEqual(statuses, {
      wrongToken: 404,
      wrongTokenPost: 404,
      noToken: 404,
      root: 404,
      rebound: 421,
      reboundPost: 421,
      localhost: 421,
      frame: 403,
      script: 403,
      crossOrigin: 403,
      nullOrigin: 403,
      crossSite: 403,
      otherPort: 403,
      noOrigin: 403,
      json: 403,
      get: 404,
      put: 405,
      empty: 400,
    });
    assert.equal(before, 0);
    assert.deepEqual([posted.status, replayed.status], [200, 410]);
    assert.match(
      replayed.body,
      /readonly>Take the second plan, &amp; mind &lt;the&gt; tests<\/textarea>/,
    );
    assert.equal(home.arrived(TEXT), 1);
  });

  test('two forms at the same time send one answer', async () => {
    await using home = await replyPageHome();
    const link = await home.link();
    home.mock.fault({ match: { method: 'POST' }, effect: { kind: 'latency', ms: 300 } });

    const answers = await Promise.all([
      postForm(link, TEXT),
      postForm(link, TEXT),
      postForm(link, TEXT),
    ]);

    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(home.arrived(TEXT), 1);
  });

  test('two answers at the same time by the links of Slack and of a mail send one, and the other is kept', async () => {
    await using home = await replyPageHome({ notify: 'team, mail' });
    const bySlack = await home.link();
    let byMail: string | undefined;
    await until(async () => {
      for (const { raw } of home.smtp.takeMails()) {
        const { text = '' } = await PostalMime.parse(String(raw));
        if (!text.includes('Which of the two plans?')) continue;
        byMail = /http:\/\/127\.0\.0\.1:\d+\/reply\/[\w-]{43}/.exec(text)?.[0];
      }
      return byMail !== undefined;
    });
    home.mock.fault({ match: { method: 'POST' }, effect: { kind: 'latency', ms: 300 } });

    const answers = await Promise.all([
      postForm(bySlack, 'The first'),
      postForm(byMail ?? 'no link', 'The second'),
    ]);

    const refused = answers.findIndex(({ status }) => status === 410);
    assert.deepEqual(
      answers.map(({ status }) => status),
      refused === 0 ? [410, 200] : [200, 410],
    );
    const words = ['The first', 'The second'];
    assert.ok(answers[refused]?.body.includes(`readonly>${words[refused]}<`));
    assert.deepEqual(
      words.map((text) => home.arrived(text)),
      [refused === 0 ? 0 : 1, refused === 0 ? 1 : 0],
    );
  });

  const refusals: readonly (readonly [name: string, effect: Effect, reason: RegExp])[] = [
    ['a 401', { kind: 'status', status: 401 }, /401/],
    ['a 404', { kind: 'status', status: 404 }, /404/],
    [
      'a 429',
      { kind: 'status', status: 429, retryAfter: { form: 'seconds', seconds: 600 } },
      /Try again in 10 min/,
    ],
    [
      'a connection that breaks before the service took it',
      { kind: 'reset', when: 'before' },
      /the session shows no new message/,
    ],
  ];
  for (const [name, effect, reason] of refusals) {
    test(`says why it was not sent on ${name}, keeps the text, and can be tried again`, async () => {
      await using home = await replyPageHome();
      const link = await home.link();
      const over = home.mock.fault({ match: { method: 'POST' }, effect });

      const refused = await postForm(link, TEXT);
      over();
      const sent = await postForm(link, TEXT);

      assert.equal(refused.status, 502);
      assert.match(refused.body, /Not sent\./);
      assert.match(refused.body, reason);
      assert.match(
        refused.body,
        /autofocus maxlength="100000">Take the second plan, &amp; mind &lt;the&gt; tests<\/textarea>/,
      );
      if (name === 'a 429') {
        // The pause that the service asked for holds for every request of the daemon.
        assert.equal(sent.status, 502, sent.body);
        assert.match(sent.body, reason);
        assert.equal(home.arrived(TEXT), 0);
        return;
      }
      assert.equal(sent.status, 200, sent.body);
      assert.equal(home.arrived(TEXT), 1);
    });
  }

  for (const [name, effect] of [
    ['a time-out after the service took it', { kind: 'reset', when: 'after' }],
    ['a 503 after the service took it', { kind: 'status', status: 503, when: 'after' }],
  ] as const) {
    test(`finds in the session that it arrived on ${name}, and sends it once`, async () => {
      await using home = await replyPageHome();
      const link = await home.link();
      home.mock.fault({ match: { method: 'POST' }, effect });

      const { status, body } = await postForm(link, TEXT);

      assert.equal(status, 200, body);
      assert.match(body, /the session shows that the message arrived/);
      assert.equal(home.arrived(TEXT), 1);
    });
  }

  test('says so where the outcome is unknown, keeps the text, and sends nothing again', async () => {
    await using home = await replyPageHome();
    const link = await home.link();
    home.mock.fault({ match: { method: 'POST' }, effect: { kind: 'reset', when: 'after' } });
    home.mock.fault({
      match: { method: 'GET', nth: 2, times: 9 },
      effect: { kind: 'status', status: 403 },
    });

    const { status, body } = await postForm(link, TEXT);
    const again = await postForm(link, TEXT);

    assert.equal(status, 502);
    assert.match(body, /Cannot determine whether it arrived/);
    assert.match(body, /readonly>Take the second plan/);
    assert.equal(again.status, 410);
    assert.equal(home.arrived(TEXT), 1);
  });

  test('after a crash in the middle the same form finds out that the answer arrived', async () => {
    await using home = await replyPageHome();
    const link = await home.link();

    await cutOff(home, link);
    const { status, body } = await postForm(link, TEXT);

    assert.equal(status, 200, body);
    assert.match(body, /It was already sent; nothing was sent now\./);
    assert.equal(home.arrived(TEXT), 1);
  });

  test('after a crash other words are not sent on top of an answer that arrived, and stay on the page', async () => {
    await using home = await replyPageHome();
    const link = await home.link();

    await cutOff(home, link);
    const { status, body } = await postForm(link, 'Take none');

    assert.equal(status, 410, body);
    assert.match(body, /An answer was sent\.[^]*readonly>Take none</);
    assert.equal(home.arrived('Take none'), 0);
  });

  test('leaves its token in no file, log or output, and keeps it from other users (T1, T12)', async () => {
    await using home = await replyPageHome();
    const link = await home.link();
    const token = link.slice(link.lastIndexOf('/') + 1);
    await askPage(link);
    await postForm(link, TEXT);

    const outputs = await Promise.all(
      [
        ['status'],
        ['history', '--json'],
        ['explain', 'last', '--json'],
        ['queue', 'list', '--json'],
        ['daemon', 'metrics'],
        ['sessions', '--json'],
      ].map((words) => home.place.cli(...words)),
    );
    const files = await readdir(home.place.home, { recursive: true });
    for (const path of files) {
      const content = await readFile(join(home.place.home, path), 'latin1').catch(() => '');
      assert.ok(!content.includes(token), path);
      assert.ok(!content.includes(TEXT) || path.endsWith('.db') || path.includes('.db-'), path);
    }
    for (const { stdout, stderr } of outputs) assert.ok(!`${stdout}${stderr}`.includes(token));
    assert.ok(files.some((path) => path.includes('replies')));
  });

  test(
    'tells another user of the machine nothing without a token',
    { skip: needsOtherUser() },
    async () => {
      await using home = await replyPageHome();
      await home.link();
      const guess = `require('node:http').get(process.argv[1], async (r) => {
      console.log(r.statusCode, (await r.toArray()).join('').includes('plans'));
    })`;

      const { stdout } = await runAsOther(
        process.execPath,
        '-e',
        guess,
        `${home.origin}/reply/${'A'.repeat(43)}`,
      );

      assert.equal(stdout, '404 false\n');
    },
  );

  test('is linked nowhere while another program has its port, which is reported', async () => {
    await using home = await replyPageHome();
    await using taken = await openHttpEndpoint();
    const { place, slack } = home;
    const config = await readFile(place.paths.config, 'utf8');
    const port = new URL(taken.url).port;
    await place.writeConfig(config.replace(/listen: "[^"]+"/, `listen: "127.0.0.1:${port}"`));
    await place.ask('POST /v1/reload');

    const { warnings } = await place.ask('GET /v1/status');
    await until(() => slack.requests.some(({ body }) => body.includes('another program has port')));
    const before = slack.requests.length;
    const event = { hook_event_name: 'Notification', message: 'Which?' };
    await place.hook({ session_id: home.session.sessionId, ...event });
    await until(() => slack.requests.length > before);

    assert.ok(
      warnings.some((line) => line.includes('another program has port')),
      warnings.join(),
    );
    assert.ok(!slack.requests.at(-1)?.body.includes('/reply/'));
  });
});

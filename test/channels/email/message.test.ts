import assert from 'node:assert/strict';
import { test } from 'node:test';
import PostalMime from 'postal-mime';
import { composeMessage } from '../../../src/channels/email/mailer.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sampleNotification } from '../../support/sample.ts';

const parties = {
  from: { name: 'hookbell', address: 'robot@x.test' },
  to: [{ name: 'Doe, "Jane"', address: 'jane@x.test' }],
  now: Date.UTC(2026, 10, 21, 10, 0, 0),
};

async function composed(fields: Partial<Notification>): ReturnType<typeof PostalMime.parse> {
  return PostalMime.parse(await composeMessage(sampleNotification(fields), parties));
}

test('composeMessage() carries the constant headers of a machine (P27)', async () => {
  const mail = await composed({ deliveryId: '0190a5e0-0000-7000-8000-00000000002a' });

  const header = (name: string): string | undefined =>
    mail.headers.find(({ key }) => key === name)?.value;
  assert.equal(mail.messageId, '<0190a5e0-0000-7000-8000-00000000002a@hookbell.invalid>');
  assert.equal(header('auto-submitted'), 'auto-generated');
  assert.equal(header('x-auto-response-suppress'), 'All');
  assert.equal(header('list-id'), 'hookbell <notifications.hookbell.invalid>');
  assert.deepEqual(mail.from, { name: 'hookbell', address: 'robot@x.test' });
  assert.deepEqual(mail.to, [{ name: 'Doe, "Jane"', address: 'jane@x.test' }]);
  assert.equal(mail.date, '2026-11-21T10:00:00.000Z');
});

test('composeMessage() puts all mails of one session into one thread, and only those', async () => {
  const [one, two, other] = await Promise.all([
    composed({ groupKey: 'claude:s1' }),
    composed({ groupKey: 'claude:s1' }),
    composed({ groupKey: 'claude:s2' }),
  ]);

  assert.match(one.inReplyTo ?? '', /^<session-[0-9a-f]{32}@hookbell\.invalid>$/);
  assert.equal(one.references, one.inReplyTo);
  assert.equal(two.inReplyTo, one.inReplyTo);
  assert.notEqual(other.inReplyTo, one.inReplyTo);
  assert.notEqual(two.messageId, one.messageId);
});

test('composeMessage() shows the page of a digest instead of its own layout, with the text as the alternative', async () => {
  const mail = await composed({ page: '<p>Drawn</p>', title: 'Agents', body: 'In words' });

  assert.equal(mail.html?.trim(), '<p>Drawn</p>');
  assert.match(mail.text ?? '', /Agents[^]*In words/);
});

test('composeMessage() shows project, session, agent, length and time in both parts', async () => {
  const { text = '', html = '' } = await composed({
    project: 'shop',
    sessionTitle: 'Fix the basket',
    durationMs: 125_000,
  });

  for (const part of [text, html]) {
    for (const fact of ['shop', 'Fix the basket', 'claude', '2 min 5 s', '2023']) {
      assert.ok(part.includes(fact), `${fact} is missing in ${part}`);
    }
  }
});

test('composeMessage() does not say again below the text what it lists', async () => {
  const { text = '' } = await composed({
    body: 'All tests pass\nComputer: build-7',
    details: 'Computer: build-7',
    computer: 'build-7',
  });

  assert.equal(text.split('Computer: build-7').length, 2);
  assert.match(text, /\nAll tests pass\n\n/);
});

test('composeMessage() leaves out what is not known', async () => {
  const { text = '' } = await composed({ project: null, sessionId: null, agent: 'unknown' });

  assert.doesNotMatch(text, /Project|Session|Agent|Took|null|unknown/);
});

test('composeMessage() marks a possible duplicate (fault 3)', async () => {
  const first = await composed({ possibleDuplicate: false });
  const again = await composed({ possibleDuplicate: true });

  assert.doesNotMatch(`${first.text}${first.html}`, /You may already have this message/);
  assert.match(again.text ?? '', /You may already have this message/);
  assert.match(again.html ?? '', /You may already have this message/);
});

test('composeMessage() cuts the subject to 150 and keeps it on one line (P25)', async () => {
  const { subject = '' } = await composed({ title: `first\r\nBcc: a@b\0${'🚀'.repeat(200)}` });

  assert.ok(subject.length <= 150);
  assert.match(subject, /^first Bcc: a@b.*…$/);
  assert.ok(subject.isWellFormed());
});

test('composeMessage() escapes every foreign text in the HTML part and loads nothing (T9)', async () => {
  const hostile = `</td><img src="http://evil.test/x">&amp;<script>'"`;
  const { html = '' } = await composed({
    title: hostile,
    body: hostile,
    project: hostile,
    sessionTitle: hostile,
  });

  assert.doesNotMatch(html, /<(?:img|script|link|a) |url\(|@import/);
  assert.equal(
    html.split(
      '&lt;/td&gt;&lt;img src=&quot;http://evil.test/x&quot;&gt;&amp;amp;&lt;script&gt;&#39;&quot;',
    ).length - 1,
    // Twice the title (it is the name of the document too), body, project, session.
    5,
  );
});

for (const [name, fields, colour, label] of [
  ['a permission', { kind: 'needs.permission' }, '#bf8700', 'Needs your permission'],
  ['a question', { kind: 'needs.input' }, '#8250df', 'Waits for your answer'],
  ['a failure', { kind: 'turn.failed', severity: 'critical' }, '#cf222e', 'Something failed'],
  ['the end of a turn', { kind: 'turn.done', severity: 'info' }, '#1a7f37', 'Finished'],
  ['news', { kind: 'session.end', severity: 'info' }, '#0969da', 'Good to know'],
  ['a test', { kind: 'test', severity: 'info' }, '#6e7781', 'Test'],
] as const) {
  test(`composeMessage() shows ${name} by colour and by word (B6)`, async () => {
    const { html = '' } = await composed(fields);

    assert.equal(/bgcolor="(#\w+)"/.exec(html)?.[1], colour);
    assert.ok(html.includes(label));
  });
}

test('composeMessage() says whose agent it is (B6)', async () => {
  const { text = '', html = '' } = await composed({});

  assert.match(text, /^From: ada@devbox$/m);
  assert.match(html, />ada@devbox</);
});

test('composeMessage() formats what an agent wrote in Markdown, and loads and runs nothing of it (B14)', async () => {
  const markdown = [
    '## Done <b>',
    '- all **42** tests, see [the log](https://ci.example/1?a=1&b=2)',
    '  - `npm test`',
    '',
    '```',
    '<script>alert(1)</script>',
    '```',
    '![pixel](https://evil.example/p.png) [x](javascript:alert) [y](data:text/html,x)',
  ].join('\n');

  const { text = '', html = '' } = await composed({ body: 'Done', markdown });

  assert.match(html, /font-weight:600">Done &lt;b&gt;<\/div>/);
  assert.match(html, /<strong>42<\/strong>/);
  assert.match(
    html,
    /<a href="https:\/\/ci\.example\/1\?a=1&amp;b=2"[^>]*>the log<\/a> \(ci\.example\)/,
  );
  assert.match(html, /<code [^>]*>npm test<\/code>/);
  assert.match(html, /<pre [^>]*>&lt;script&gt;alert\(1\)&lt;\/script&gt;<\/pre>/);
  assert.doesNotMatch(html, /<img|<script|javascript:|data:text/);
  assert.match(
    text,
    /\nDone <b>\n• all 42 tests, see the log \(https:\/\/ci\.example\/1\?a=1&b=2\)\n/,
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { contentOf, htmlText, plainText } from '../../../src/channels/email/content.ts';
import type { Notification } from '../../../src/core/notification.ts';
import { sampleNotification } from '../../support/sample.ts';

/** The body of the HTML part that a Markdown text becomes, without its styles. */
function markdownAsHtml(markdown: string): string {
  const html = htmlText(contentOf(sampleNotification({ markdown })));
  const body = /<div class="text" dir="auto"[^>]*>([^]*?)<\/div>\n<table role="presentation"/.exec(
    html,
  );
  return (body?.[1] ?? '').replaceAll(/ (?:style|role|cell\w+|border|valign|class)="[^"]*"/g, '');
}

describe('htmlText() shows the Markdown of an agent', () => {
  for (const { name, markdown, html } of [
    {
      name: 'lines of text as one paragraph, and another after a blank line',
      markdown: 'one\ntwo\n\nthree',
      html: '<div>one<br>two</div><div>three</div>',
    },
    {
      name: 'headings one by one',
      markdown: '# Plan\n## Steps',
      html: '<div>Plan</div><div>Steps</div>',
    },
    {
      name: 'code as it is, with its blank lines',
      markdown: '```sh\nif a; then\n\n  <b> && c\n```\nafter',
      html: '<pre>if a; then\n\n  &lt;b&gt; &amp;&amp; c</pre><div>after</div>',
    },
    {
      name: 'the lines of a quote together',
      markdown: '> one\n> two',
      html: '<blockquote>one<br>two</blockquote>',
    },
    {
      name: 'items with their markers',
      markdown: '- a\n1. b',
      html: '<table><tr><td>•</td><td>a</td></tr></table><table><tr><td>1.</td><td>b</td></tr></table>',
    },
    {
      name: 'emphasis of every kind',
      markdown: '**bold** *slanted* ~~gone~~ `a<b`',
      html: '<div><strong>bold</strong> <em>slanted</em> <s>gone</s> <code>a&lt;b</code></div>',
    },
    {
      name: 'the place to which a link leads, if its text does not show it',
      markdown: '[docs](https://evil.test/?a=1&b=2) [a@b.test](mailto:a@b.test)',
      html: '<div><a href="https://evil.test/?a=1&amp;b=2">docs</a> (evil.test) <a href="mailto:a@b.test">a@b.test</a></div>',
    },
    {
      name: 'a link that would run a script as text',
      markdown: '[docs](javascript:alert(1))',
      html: '<div>[docs](javascript:alert(1))</div>',
    },
  ]) {
    test(name, () => {
      assert.equal(markdownAsHtml(markdown), html);
    });
  }

  test('indented items further to the right, but not beyond the edge', () => {
    const markdown = ['- a', '  - b', `${' '.repeat(60)}- c`].join('\n');
    const html = htmlText(contentOf(sampleNotification({ markdown })));

    assert.deepEqual(
      [...html.matchAll(/margin-left:(\d+)px/g)].map(([, px]) => px),
      ['0', '16', '96'],
    );
  });
});

test('htmlText() shows plain text with its line breaks, and none of its markup', () => {
  const html = htmlText(contentOf(sampleNotification({ body: '**a**\n<b>' })));

  assert.match(html, /white-space:pre-wrap">\*\*a\*\*<br>&lt;b&gt;<\/div>/);
});

const factsOf = (fields: Partial<Notification>): Readonly<Record<string, string>> => {
  const { When: _, ...facts } = Object.fromEntries(contentOf(sampleNotification(fields)).facts);
  return facts;
};

const isSaid = (possibleDuplicate: boolean): boolean =>
  contentOf(sampleNotification({ possibleDuplicate }))
    .remarks.join('\n')
    .includes('You may already have this message');

describe('contentOf()', () => {
  test('leaves out what is not known', () => {
    assert.deepEqual(
      factsOf({
        project: null,
        sessionId: null,
        agent: 'unknown',
        origin: { user: null, host: 'h' },
      }),
      { From: 'h' },
    );
  });

  test('names the session by its title, and by its id without one', () => {
    assert.equal(factsOf({ sessionTitle: 'Fix it' })['Session'], 'Fix it');
    assert.equal(factsOf({ sessionTitle: null, sessionId: 's1' })['Session'], 's1');
  });

  test('names the computer only if it is not where the notification comes from', () => {
    assert.equal(factsOf({ computer: 'build-7' })['Computer'], 'build-7');
    assert.equal(factsOf({ computer: 'devbox' })['Computer'], undefined);
  });

  test('shows how long the agent worked, and the credits it used', () => {
    const facts = factsOf({
      durationMs: 65_000,
      activeMs: 3_600_000,
      credits: { amount: 1_234.5, source: 'tokenUsage', growth: null },
    });

    assert.deepEqual(
      [facts['Took'], facts['At work'], facts['Credits']],
      ['1 min 5 s', '1 h', '1,234.5 credits (token usage)'],
    );
  });

  test('says that the message may have arrived before only if that is possible', () => {
    assert.deepEqual([isSaid(true), isSaid(false)], [true, false]);
  });
});

describe('the link that answers the agent', () => {
  const replyLink = {
    url: 'http://127.0.0.1:7333/r/x?a=1&b=2',
    machine: 'dev<box>',
    forMs: 3_600_000,
  };
  const hint = 'Opens only in a browser on the machine "dev<box>", works once, for 1 h.';

  test('stands in both parts, with what it needs', () => {
    const content = contentOf(sampleNotification({ replyLink }));

    assert.ok(plainText(content).includes(`\n\nAnswer the agent: ${replyLink.url}\n${hint}\n\n`));
    const html = htmlText(content);
    assert.match(
      html,
      /<a href="http:\/\/127\.0\.0\.1:7333\/r\/x\?a=1&amp;b=2"[^>]*>Answer the agent</,
    );
    assert.ok(html.includes('on the machine &quot;dev&lt;box&gt;&quot;, works once, for 1 h.'));
  });

  test('is in neither part without one', () => {
    const content = contentOf(sampleNotification());

    assert.doesNotMatch(plainText(content), /Answer the agent/);
    assert.doesNotMatch(htmlText(content), /Answer the agent/);
  });
});

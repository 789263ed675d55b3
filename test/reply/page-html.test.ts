import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { decisionHtml, type DecisionPage } from '../../src/reply/page-html.ts';

const page: DecisionPage = {
  type: 'decision',
  answered: { title: 'shop <1>', body: 'Body & more', sessionTitle: null, agent: 'droid' },
  request: {
    question: 'q',
    text: 'rm -rf <build>',
    asks: [],
    choices: ['deny', 'allow'],
    requestHash: 'h"1',
  },
  limit: null,
  forMs: 60_000,
  trouble: null,
};
const deploys = {
  text: 'Where?',
  options: ['here', 'there'],
  descriptions: ['', 'far <away>'],
  several: false,
} as const;

describe('decisionHtml()', () => {
  test('has the request, its hash and its choices, Enter first, and no trouble at first', () => {
    const html = decisionHtml(page);

    assert.match(html, /<pre dir="auto">rm -rf &lt;build&gt;<\/pre>/);
    assert.match(html, /name="request" value="h&quot;1"/);
    const choices = [...html.matchAll(/name="choice" value="([^"]+)"/g)].map(([, name]) => name);
    assert.deepEqual(choices, ['allow', 'deny']);
    assert.doesNotMatch(html, /role="alert"|<p class="note"/);
    assert.doesNotMatch(html, / · /);
  });

  test('says why the last decision was not used, and why only "deny" is offered', () => {
    const html = decisionHtml({ ...page, trouble: 'it has <ended>', limit: 'The text was cut' });

    assert.match(
      html,
      /role="alert"><strong class="bad">Not sent\.<\/strong> <bdi>it has &lt;ended&gt;<\/bdi>/,
    );
    assert.match(html, /<p class="note"><bdi>The text was cut<\/bdi><\/p>/);
  });

  test('shows the message of a request without a text, and only the questions of one that asks', () => {
    const withoutText = { ...page.request, text: null };
    const asking = { ...page.request, asks: [deploys, { ...deploys, several: true }] };
    const quoted = decisionHtml({ ...page, request: withoutText });
    const asks = decisionHtml({ ...page, request: asking });

    assert.match(quoted, /<blockquote dir="auto">Body &amp; more<\/blockquote>/);
    assert.doesNotMatch(asks, /<pre|<blockquote/);
    assert.match(
      asks,
      /type="radio" name="option0" value="1"> <span><bdi>there<\/bdi><small><bdi>far &lt;away&gt;/,
    );
    assert.match(asks, /type="checkbox" name="option1" value="0"> <span><bdi>here<\/bdi><\/span>/);
  });
});

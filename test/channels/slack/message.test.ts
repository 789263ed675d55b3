import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { renderMessage, withoutMarkdown } from '../../../src/channels/slack/slack-message.ts';
import { kinds } from '../../../src/core/hook-event.ts';
import { severities } from '../../../src/core/notification.ts';
import { displayLine, displayText } from '../../../src/text/sanitize.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';
import { sampleNotification } from '../../support/sample.ts';
import { activeMarkup, slackMessage, textsOf } from '../../support/slack-limits.ts';

test('renderMessage() shows title, text and facts, and says them in the fallback text (P80, P82)', () => {
  const message = renderMessage(
    sampleNotification({
      title: 'shop: may I run <it>?',
      body: 'npm test && npm run build\nin *shop*',
      sessionTitle: 'Fix the cart',
      durationMs: 65_000,
    }),
    null,
  );

  assert.deepEqual(message, {
    text: 'shop: may I run &lt;it&gt;?\nnpm test &amp;&amp; npm run build\nin *shop*',
    blocks: [
      {
        type: 'header',
        text: { type: 'plain_text', text: 'shop: may I run &lt;it&gt;?', emoji: false },
      },
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: 'npm test &amp;&amp; npm run build\nin *shop*',
          emoji: false,
        },
      },
    ],
    attachments: [
      {
        color: '#8250df',
        blocks: [
          {
            type: 'context',
            elements: [
              { type: 'plain_text', text: 'claude', emoji: false },
              { type: 'plain_text', text: 'ada@devbox', emoji: false },
              { type: 'plain_text', text: 'Fix the cart', emoji: false },
              { type: 'plain_text', text: 'took 1 min 5 s', emoji: false },
            ],
          },
        ],
      },
    ],
    link_names: false,
    unfurl_links: false,
    unfurl_media: false,
  });
});

test('renderMessage() says once what the headline, the text and the facts could all say', () => {
  const message = slackMessage.parse(
    renderMessage(
      sampleNotification({
        title: 'shop is done (1 min 5 s) · Fix the cart',
        body: 'All tests pass\nComputer: build-7 · 12 credits',
        details: 'Computer: build-7 · 12 credits',
        sessionTitle: 'Fix the cart',
        computer: 'build-7',
        durationMs: 65_000,
      }),
      null,
    ),
  );

  assert.deepEqual(
    textsOf(message).map(({ text }) => text),
    [
      'shop is done (1 min 5 s) · Fix the cart\nAll tests pass\nComputer: build-7 · 12 credits',
      'shop is done (1 min 5 s) · Fix the cart',
      'All tests pass',
      'claude',
      'ada@devbox',
      'build-7',
    ],
  );
});

test('renderMessage() marks a possible duplicate', () => {
  const message = renderMessage(sampleNotification({ possibleDuplicate: true }), null);

  assert.match(JSON.stringify(message.attachments), /"possible duplicate"/);
});

test('renderMessage() leaves out facts that are unknown or blank, which Slack would refuse', () => {
  const notification = sampleNotification({ project: ' ', sessionTitle: '', sessionId: null });

  const message = slackMessage.parse(renderMessage(notification, null));

  assert.deepEqual(
    textsOf(message)
      .slice(3)
      .map(({ text: fact }) => fact),
    ['claude', 'ada@devbox'],
  );
});

test('renderMessage() puts the configured mention into a separate part (P81)', () => {
  const message = slackMessage.parse(renderMessage(sampleNotification(), '<!here>'));

  assert.deepEqual(activeMarkup(message), ['<!here>']);
  assert.deepEqual(message.blocks.at(-1), {
    type: 'section',
    text: { type: 'mrkdwn', text: '<!here>', verbatim: true },
  });
});

const piece = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.constantFrom('<', '>', '&', '"', '\n', '👨‍👩‍👧‍👦', 'x'.repeat(149), '&'.repeat(599)),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
);
const text = fc.array(piece, { maxLength: 40 }).map((pieces) => displayText(pieces.join('')));
const line = text.map(displayLine);

test('renderMessage() keeps the limits of Slack, and no text makes a mention or a link (P80-P84, T8)', () => {
  fc.assert(
    fc.property(
      fc.record({
        title: line.map((title) => title || 'x'),
        body: text.map((body) => body || 'x'),
        event: line,
        project: fc.option(line),
        sessionId: fc.option(line),
        sessionTitle: fc.option(line),
        kind: fc.constantFrom(...kinds),
        severity: fc.constantFrom(...severities),
        durationMs: fc.option(fc.nat()),
        possibleDuplicate: fc.boolean(),
      }),
      fc.constantFrom(null, '<!here>'),
      (fields, mention) => {
        const rendered = renderMessage(sampleNotification(fields), mention);

        const message = slackMessage.parse(rendered);
        assert.deepEqual(activeMarkup(message), mention === null ? [] : [mention]);
        for (const { text: shown } of textsOf(message)) {
          assert.doesNotMatch(shown, /&(?!amp;|lt;|gt;)/, 'an entity is cut in two');
          assert.ok(shown.isWellFormed());
        }
        // Foreign text never stands where Slack looks for formatting, except in the fallback.
        const formatted = message.blocks.flatMap((block) =>
          block.type === 'section' && block.text.type === 'mrkdwn' ? [block.text.text] : [],
        );
        assert.deepEqual(formatted, mention === null ? [] : [mention]);
      },
    ),
    { numRuns: 300 },
  );
});

test('renderMessage() formats what an agent wrote in Markdown, and no mention or foreign link comes of it (B14)', () => {
  const markdown = [
    '## Done & <!channel>',
    '- all **42 tests** pass, a**b**c, see [the log|<@U1>](https://ci.example/1?a=1&b=2|x)',
    '> `npm test`',
    '```',
    'a < b && c',
    '```',
    '[x](javascript:alert)',
  ].join('\n');

  const message = slackMessage.parse(renderMessage(sampleNotification({ markdown }), null));

  assert.deepEqual(message.blocks[1], {
    type: 'section',
    text: {
      type: 'mrkdwn',
      text: [
        '*Done &amp; &lt;!channel&gt;*',
        '• all *42 tests* pass, abc, see <https://ci.example/1?a=1&amp;b=2%7Cx|the log¦&lt;@U1&gt;> (ci.example)',
        '> `npm test`',
        '```',
        'a &lt; b &amp;&amp; c',
        '```',
        'x',
      ].join('\n'),
      verbatim: true,
    },
  });
});

test('renderMessage() shows a digest in six lines, and the whole of it folded below (B14)', () => {
  const sections = Array.from({ length: 9 }, (_, index) => `SECTION ${index}\n${index} of 9\nmore`);
  const body = ['Data of one day is missing', ...sections].join('\n\n');

  const message = slackMessage.parse(
    renderMessage(sampleNotification({ kind: 'digest', severity: 'info', body }), null),
  );

  const [, shown] = message.blocks;
  assert.ok(shown?.type === 'section');
  assert.deepEqual(shown.text.text.split('\n'), [
    'Data of one day is missing',
    ...Array.from({ length: 5 }, (_, index) => `Section ${index}: ${index} of 9`),
  ]);
  assert.deepEqual(message.attachments[1], { color: '#0969da', text: body, mrkdwn_in: [] });
});

test('renderMessage() colours a permission, a failure and a test differently (B6)', () => {
  const colours = [
    sampleNotification({ kind: 'needs.permission' }),
    sampleNotification({ kind: 'turn.failed', severity: 'critical' }),
    sampleNotification({ kind: 'test', severity: 'info' }),
  ].map((notification) => renderMessage(notification, null).attachments?.[0]?.color);

  assert.deepEqual(colours, ['#bf8700', '#cf222e', '#6e7781']);
});

test('renderMessage() keeps the limits of Slack with any Markdown, and makes no mention of it (B14)', () => {
  const marks = fc.constantFrom(
    '**',
    '`',
    '```\n',
    '\n- ',
    '\n# ',
    '[a](http://x.y/)',
    '> ',
    '_',
    '\\',
  );
  const markdowns = fc.array(fc.oneof(piece, marks), { maxLength: 60 });
  fc.assert(
    fc.property(markdowns, (pieces) => {
      const markdown = displayText(pieces.join('')) || 'x';

      const message = slackMessage.parse(renderMessage(sampleNotification({ markdown }), null));

      for (const found of activeMarkup(message))
        assert.match(found, /^(?:<(?:https?:|mailto:)[^<>]*>|>)$/);
    }),
    { numRuns: 300 },
  );
});

test('withoutMarkdown() leaves readable what starts no mark, as the push of a phone shows it', () => {
  const title = 'shop is done (40 s) · Fix snake_case_name + a-b!';
  const body = '- one\n--- \n_x_ __y__\n{a} (b)';

  const shown = withoutMarkdown(renderMessage(sampleNotification({ title, body }), null), null);

  assert.equal(shown.text, `${title}\n\\- one\n\\--- \n\\_x\\_ \\_\\_y\\_\\_\n{a} (b)`);
});

test('withoutMarkdown() leaves no mention and no Markdown for servers such as Mattermost (D15)', () => {
  const message = renderMessage(
    sampleNotification({ title: '@channel', body: '[x](http://evil) **b** `c` ~~d~~\n# h\n1. i' }),
    null,
  );

  const shown = withoutMarkdown(message, '<!here>');

  assert.equal(
    shown.text,
    [
      '<!here>',
      '@\u2060channel',
      '\\[x\\](http:\u2060//evil) \\*\\*b\\*\\* \\`c\\` ~\u2060~\u2060d~\u2060~\u2060',
      '#\u2060 h',
      '1\\. i',
    ].join('\n'),
  );
});

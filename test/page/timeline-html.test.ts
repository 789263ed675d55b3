import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { EventDeliveryView, EventView } from '../../src/control/contract.ts';
import type { WhatDiffers } from '../../src/control/what-differs.ts';
import { eventHtml, eventRow } from '../../src/page/timeline-html.ts';
import { sampleEventDeliveryView, sampleEventView } from '../support/sample-views.ts';
import { wordsIn } from '../support/words-in.ts';

const SENT_AT = '2026-03-01T10:00:00.035Z';
const DUE_AT = '2026-03-01T10:05:00.000Z';

const delivery = (channel: string, state: EventDeliveryView['state']): EventDeliveryView =>
  sampleEventDeliveryView({ channel, state });

const metaOf = (fields: Partial<EventView>): string =>
  wordsIn(
    /<span class="meta">(.*?)<\/span><\/span>/.exec(eventRow(sampleEventView(fields)).html)?.[1] ??
      '',
  );

describe('eventRow()', () => {
  for (const { name, fields, outcome } of [
    {
      name: 'names each channel that it was sent to, but not the inbox',
      fields: {
        deliveries: [
          delivery('desktop', 'sent'),
          delivery('inbox', 'sent'),
          delivery('team', 'sent'),
          delivery('mail', 'dead'),
        ],
      },
      outcome: 'good: sent to desktop, team',
    },
    {
      name: 'names the channel that failed, although another one still waits',
      fields: { deliveries: [delivery('mail', 'pending'), delivery('team', 'dead')] },
      outcome: 'bad: team failed',
    },
    {
      name: 'names the channels that it waits for',
      fields: {
        deliveries: [
          delivery('desktop', 'pending'),
          delivery('mail', 'cancelled'),
          delivery('team', 'retrying'),
        ],
      },
      outcome: 'wait: waits for desktop, team',
    },
    {
      name: 'gives the last decision if only the inbox has it',
      fields: {
        deliveries: [delivery('inbox', 'sent')],
        decisions: [
          { stage: 'classify', verdict: 'pass', reason: 'it is a turn' },
          { stage: 'route', verdict: 'stop', reason: 'matches no route' },
        ],
      },
      outcome: 'faint: matches no route',
    },
    {
      name: 'shows "not sent" if no decision is known',
      fields: { deliveries: [], decisions: [] },
      outcome: 'faint: not sent',
    },
  ] satisfies { name: string; fields: Partial<EventView>; outcome: string }[]) {
    test(name, () => {
      const { html } = eventRow(sampleEventView(fields));

      const [, tone, text = ''] = /<span class="outcome (\w+)">(.*?)<\/span>/.exec(html) ?? [];
      assert.equal(`${tone}: ${wordsIn(text)}`, outcome);
    });
  }

  test('shows the project and the machine where they are known', () => {
    assert.equal(
      metaOf({ project: 'shop', machine: 'build-7' }),
      'Claude Code shop build-7 needs.permission',
    );
    assert.equal(metaOf({ project: null, machine: null }), 'Claude Code needs.permission');
  });
});

const page = (fields: Partial<EventView>, differs: WhatDiffers | null = null): string =>
  eventHtml(sampleEventView(fields), differs);

/** The steps of the path on the page of an event: the tone of each, and its words. */
function stepsOf(fields: Partial<EventView>): readonly string[] {
  const html = page(fields);
  const path = /<ol class="path">(.*?)<\/ol>/s.exec(html)?.[1] ?? '';
  return path
    .split(/(?=<li class=")/)
    .map((step) => `${/^<li class="(\w+)"/.exec(step)?.[1]}: ${wordsIn(step)}`);
}

const factsOf = (fields: Partial<EventView>): readonly string[] =>
  [...page(fields).matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(
    ([, term, value = '']) => `${term}: ${wordsIn(value)}`,
  );

describe('eventHtml()', () => {
  test('begins with the hook, and gives each decision its tone', () => {
    const steps = stepsOf({
      decisions: [
        { stage: 'classify', verdict: 'note', reason: 'it is a turn' },
        { stage: 'route', verdict: 'notify', reason: 'routes[0] chooses "now"' },
        { stage: 'mute', verdict: 'stop', reason: 'the project is muted' },
      ],
      deliveries: [],
    });

    assert.deepEqual(steps, [
      'pass: Hook The hook ran, and the daemon received the event 3 ms later.',
      'pass: Classified it is a turn',
      'good: Route routes[0] chooses &quot;now&quot;',
      'bad: Mute the project is muted',
    ]);
  });

  test('never shows that an event was received before it happened, where clocks differ', () => {
    const [hook] = stepsOf({ receivedAt: '2026-03-01T09:59:00.000Z' });

    assert.match(hook ?? '', /received the event 0 ms later/);
  });

  for (const { name, fields, step } of [
    {
      name: 'shows when a delivery arrived, and each attempt',
      fields: {
        log: [
          {
            number: 1,
            startedAt: '2026-03-01T10:00:00.010Z',
            durationMs: 9_999,
            outcome: 'retry',
            reason: 'timeout',
          },
          {
            number: 2,
            startedAt: '2026-03-01T10:00:30.000Z',
            durationMs: 65_000,
            outcome: 'delivered',
            reason: null,
          },
        ],
      },
      step: `good: desktop sent at ${SENT_AT} Attempt 1 at 2026-03-01T10:00:00.010Z: retry after 9999 ms, timeout Attempt 2 at 2026-03-01T10:00:30.000Z: delivered after 1 min 5 s`,
    },
    {
      name: 'shows when a delivery is due',
      fields: { state: 'retrying', sentAt: null, dueAt: DUE_AT, reason: 'Slack answered 500' },
      step: `pass: desktop retrying, due at ${DUE_AT}: Slack answered 500`,
    },
    {
      name: 'does not show a time at which a failed delivery would be due',
      fields: { state: 'dead', sentAt: null, reason: 'the token was revoked' },
      step: 'bad: desktop dead: the token was revoked',
    },
    {
      name: 'does not show a time at which a cancelled delivery would be due',
      fields: { state: 'cancelled', sentAt: null },
      step: 'pass: desktop cancelled',
    },
    {
      name: 'shows to whom a delivery went with the message of another event, perhaps twice',
      fields: { recipient: 'ada@example.com', sentWith: 'e-2', possibleDuplicate: true },
      step: `good: desktop to ada@example.com sent with another event at ${SENT_AT} (may have arrived twice)`,
    },
  ] satisfies { name: string; fields: Partial<EventDeliveryView>; step: string }[]) {
    test(name, () => {
      const deliveries = [sampleEventDeliveryView({ log: [], ...fields })];

      assert.deepEqual(stepsOf({ decisions: [], deliveries }).slice(1), [step]);
    });
  }

  test('lists the facts that are known', () => {
    const always = [
      'Agent: Claude Code',
      'Event: Notification (needs.permission)',
      'When: 2026-03-01T10:00:00.000Z · 2026-03-01T10:00:00.000Z ago',
    ];
    const id = 'Event id: f3a1c2d4-aaaa-4bbb-8ccc-000000000001';

    assert.deepEqual(factsOf({ machine: null, cwd: null, tool: null, turnMs: null }), [
      ...always,
      id,
    ]);
    assert.deepEqual(
      factsOf({ machine: 'build-7', cwd: '/srv/shop', tool: 'Bash', turnMs: 65_000 }),
      [...always, 'Machine: build-7', 'Directory: /srv/shop', 'Tool: Bash', 'Turn: 1 min 5 s', id],
    );
  });

  test('shows the text of the notification, unless it is blank', () => {
    assert.match(
      page({ body: 'Run <b>npm</b>?\nYes' }),
      /<pre class="request"[^>]*>Run &lt;b&gt;npm/,
    );
    assert.doesNotMatch(page({ body: ' \n' }), /<pre/);
  });

  test('lists the routes with the conditions that do not hold, if they would have to change', () => {
    const tree: WhatDiffers['tree'] = [
      { route: 'night', plan: 'none', taken: true, unfit: [] },
      {
        route: 'routes[1]',
        plan: 'now',
        taken: false,
        unfit: [{ condition: 'project', wanted: 'api', actual: 'shop' }],
      },
    ];

    const listed = page({}, { sentence: 'Its route notifies no one', tree });
    const routes = /<ul class="path routes">(.*?)<\/ul><\/section>/s.exec(listed)?.[1] ?? '';

    assert.match(wordsIn(listed), /What would have to change Its route notifies no one night/);
    assert.deepEqual(
      routes
        .split(/(?=<li class=")/)
        .map((row) => [/^<li class="(\w+)"/.exec(row)?.[1], wordsIn(row)]),
      [
        ['good', 'night plan none'],
        ['pass', 'routes[1] plan now project does not hold: shop, wanted api'],
      ],
    );
    const bare = page({}, { sentence: 'Remove the mute', tree: null });
    assert.match(wordsIn(bare), /What would have to change Remove the mute/);
    assert.doesNotMatch(bare, /class="path routes"/);
    assert.doesNotMatch(page({}), /What would have to change/);
  });
});

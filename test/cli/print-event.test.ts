import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';

import { createOutput, type Output } from '../../src/cli/output.ts';
import {
  deliveryLines,
  printEvent,
  printPayload,
  printTree,
  stepText,
} from '../../src/cli/print-event.ts';
import { localTimeText } from '../../src/cli/time-text.ts';
import type { ChannelStateView, EventDeliveryView, EventView } from '../../src/control/contract.ts';
import {
  harmlessText,
  hostileText,
  sampleEventDeliveryView,
  sampleEventView,
  sampleStatusView,
} from '../support/sample-views.ts';

const NOW = Date.parse('2026-03-02T10:00:00.000Z');

/** The lines that are printed where there is no terminal. */
function printed(print: (output: Output) => void): readonly string[] {
  const stdout = new PassThrough({ encoding: 'utf8' });
  print(createOutput({ stdout, stderr: new PassThrough(), quiet: false, verbose: false }));
  return String(stdout.read() ?? '')
    .split('\n')
    .slice(0, -1);
}

const time = (iso: string): string => localTimeText(iso, NOW);

describe('deliveryLines()', () => {
  test('gives the last decision if nothing was sent', () => {
    const decisions: EventView['decisions'] = [
      { stage: 'classify', verdict: 'pass', reason: 'it is a turn' },
      { stage: 'mute', verdict: 'stop', reason: hostileText },
    ];
    const text = `not sent: ${harmlessText}`;
    const advice = 'Run "hookbell doctor" to find out why';

    assert.deepEqual(deliveryLines(sampleEventView({ decisions, deliveries: [] }), []), [
      { arrived: false, brief: text, advice, text },
    ]);
    assert.equal(
      deliveryLines(sampleEventView({ decisions: [], deliveries: [] }), [])[0]?.text,
      'not sent: no decision',
    );
  });

  for (const { name, channel, text } of [
    {
      name: 'says that a channel has to wait',
      channel: { state: 'limited' },
      text: 'desktop: pending: the channel has to wait',
    },
    {
      name: 'says why a channel cannot be used',
      channel: { state: 'broken', lastReason: 'the token was revoked' },
      text: 'desktop: pending: the channel cannot be used: the token was revoked',
    },
    {
      name: 'says that no reason is known for which a channel cannot be used',
      channel: { state: 'broken' },
      text: 'desktop: pending: the channel cannot be used: no reason given',
    },
    {
      name: 'says that no reason is known for which a channel is paused',
      channel: { state: 'open' },
      text: 'desktop: pending: the channel is paused after failures: no reason given',
    },
    {
      name: 'gives no reason if the channel works',
      channel: { state: 'ok' },
      text: 'desktop: pending',
    },
    {
      name: 'gives no reason if the channel was removed meanwhile',
      channel: { name: 'other', state: 'open' },
      text: 'desktop: pending',
    },
  ] satisfies { name: string; channel: Partial<ChannelStateView>; text: string }[]) {
    test(name, () => {
      const [sample] = sampleStatusView().channels;
      assert.ok(sample);
      const deliveries = [sampleEventDeliveryView({ state: 'pending', sentAt: null })];

      const [line] = deliveryLines(sampleEventView({ deliveries }), [{ ...sample, ...channel }]);

      assert.equal(line?.text, text);
      assert.equal(line.arrived, false);
    });
  }
});

const paint: Output['paint'] = (colour, text) => `<${colour}>${text}`;

test('stepText() marks the outcome of a step by a sign and a colour', () => {
  assert.deepEqual(
    (['done', 'unchanged', 'skipped', 'failed'] as const).map((state) =>
      stepText({ paint }, state, 'hooks', 'Claude Code'),
    ),
    [
      '<green>+ hooks      Claude Code',
      '<dim>= hooks      Claude Code',
      '<dim>- hooks      Claude Code',
      '<red>! hooks      Claude Code',
    ],
  );
});

test('printTree() marks the routes that are taken, and cuts long values', () => {
  const long = 'x'.repeat(200);
  const lines = printed((output) =>
    printTree(
      output,
      [
        { route: 'night', plan: 'none', taken: true, unfit: [] },
        {
          route: hostileText,
          plan: 'now',
          taken: false,
          unfit: [{ condition: 'project', wanted: long, actual: 'shop' }],
        },
      ],
      NOW,
    ),
  );

  assert.deepEqual(lines, [
    '> night -> none',
    `  ${harmlessText} -> now`,
    `      project does not hold: shop, wanted ${'x'.repeat(99)}…`,
  ]);
});

/** What is printed below the heading of the deliveries. */
function deliveriesOf(fields: Partial<EventView>): readonly string[] {
  const lines = printed((output) => printEvent(output, sampleEventView(fields), NOW));
  return lines.slice(lines.indexOf('Deliveries') + 1);
}

describe('printEvent()', () => {
  test('prints the facts that are known, each on its lines, and the decisions', () => {
    const event = sampleEventView({
      machine: 'build-7',
      sessionId: null,
      tool: null,
      title: hostileText,
      body: 'one\ntwo',
      facts: {},
      decisions: [
        { stage: 'route', verdict: 'stop', reason: 'quiet until 2026-03-02T18:00:00.000Z' },
      ],
      deliveries: [],
    });

    assert.deepEqual(
      printed((output) => printEvent(output, event, NOW)),
      [
        `Event ${event.eventId}`,
        `  received  ${time(event.at)}, read 3 ms later`,
        '  from      claude, event "Notification"',
        '  means     needs.permission (warning)',
        '  machine   build-7',
        '  project   shop',
        '  directory /home/dev/shop',
        '  title     eviltext',
        '            forged line',
        '  text      one',
        '            two',
        'Decisions',
        `  route     stop    quiet until ${time('2026-03-02T18:00:00.000Z')}`,
        'Deliveries',
        '  none: no notification was sent',
      ],
    );
  });

  const { sentAt, dueAt } = sampleEventDeliveryView();
  for (const { name, fields, lines } of [
    {
      name: 'prints when a delivery arrived, and each attempt',
      fields: {},
      lines: [
        `  desktop sent, step 1, at ${time(sentAt ?? '')}, 35 ms after the event`,
        `    attempt 1 at ${time('2026-03-01T10:00:00.010Z')}, delivered after 25 ms`,
      ],
    },
    {
      name: 'prints when a delivery is due, and why it is not sent before',
      fields: { state: 'retrying', sentAt: null, step: 1, reason: 'held', log: [] },
      lines: [`  desktop retrying, step 2, due ${time(dueAt)}: held`],
    },
    {
      name: 'prints the reason of the last attempt once',
      fields: {
        state: 'dead',
        sentAt: null,
        reason: 'timeout',
        log: [
          {
            number: 1,
            startedAt: '2026-03-01T10:00:00.010Z',
            durationMs: 65_000,
            outcome: 'failed',
            reason: 'timeout',
          },
        ],
      },
      lines: [
        `  desktop dead, step 1, due ${time(dueAt)}`,
        `    attempt 1 at ${time('2026-03-01T10:00:00.010Z')}, failed after 1 min: timeout`,
      ],
    },
    {
      name: 'prints to whom a delivery went with the message of another event, perhaps twice',
      fields: {
        recipient: 'ada@example.com',
        sentWith: hostileText,
        possibleDuplicate: true,
        log: [],
      },
      lines: [
        `  desktop to ada@example.com sent with event ${harmlessText}, step 1, at ${time(sentAt ?? '')}, 35 ms after the event (may have arrived twice)`,
      ],
    },
  ] satisfies { name: string; fields: Partial<EventDeliveryView>; lines: string[] }[]) {
    test(name, () => {
      assert.deepEqual(deliveriesOf({ deliveries: [sampleEventDeliveryView(fields)] }), lines);
    });
  }
});

const payloadOf = (text: string): readonly string[] =>
  printed((output) => printPayload(output, sampleEventView({ payload: text })));

test('printPayload() lays JSON out, prints other text as it is, and neither with its secrets', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  assert.deepEqual(payloadOf('{"a":[1]}'), [
    'Payload',
    '  {',
    '    "a": [',
    '      1',
    '    ]',
    '  }',
  ]);
  assert.deepEqual(payloadOf('no JSON\nat all'), ['Payload', '  no JSON', '  at all']);
  for (const text of [`{"a":"${token}"}`, `a ${token}`]) {
    assert.ok(!payloadOf(text).join().includes(token), payloadOf(text).join());
  }
});

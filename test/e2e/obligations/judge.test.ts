import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { sampleEventDeliveryView } from '../../support/sample-views.ts';
import { claimNamed, payloadOf } from './claim.ts';
import type { Arrival, Seen, SeenEvent } from './judge.ts';
import { countRepeats, judge, overtaken } from './judge.ts';
import type { Entry } from './ledger.ts';

const claim = claimNamed('s1', 1);
const owed = new Map<string, Entry>([[claim.name, { claim, isOwed: true }]]);

const told = ['out', 'web'].map((channel) => sampleEventDeliveryView({ id: channel, channel }));
const event: SeenEvent = {
  eventId: 'e1',
  payload: payloadOf(claim),
  decisions: [{ stage: 'route', verdict: 'pass', reason: 'routes[0]' }],
  deliveries: told,
};
const arrivals: readonly Arrival[] = ['out', 'web'].map((channel) => {
  return { channel, id: 'e1', claim: claim.name, isMarked: channel === 'web' ? false : null };
});

function seen(fields: Partial<Seen> = {}): Seen {
  return { events: [event], held: new Set(), arrivals, ...fields };
}

/** The same event, with another delivery on the webhook. */
function onWeb(fields: Parameters<typeof sampleEventDeliveryView>[0]): readonly SeenEvent[] {
  const changed = sampleEventDeliveryView({ id: 'web', channel: 'web', ...fields });
  return [{ ...event, deliveries: [...told.slice(0, 1), changed] }];
}

describe('judge() finds', () => {
  test('nothing where all is well', () => {
    assert.deepEqual(judge(owed, seen()), []);
  });

  const faults: readonly [what: string, seen: Seen, fault: RegExp][] = [
    ['a lost event', seen({ events: [], arrivals: [] }), /is lost/],
    ['an event stored twice', seen({ events: [event, event] }), /is stored 2 times/],
    [
      'a payload that was written anew',
      seen({ events: [{ ...event, payload: event.payload.replace('\r\n', '\n') }] }),
      /was changed/,
    ],
    [
      'an event without a decision',
      seen({ events: [{ ...event, decisions: [] }] }),
      /no recorded decision/,
    ],
    [
      'a channel that was left out',
      seen({ events: [{ ...event, deliveries: told.slice(0, 1) }] }),
      /never planned for "web"/,
    ],
    [
      'what is called sent and never came',
      seen({ arrivals: arrivals.slice(0, 1) }),
      /never arrived/,
    ],
    [
      'a dead letter without a reason',
      seen({ events: onWeb({ state: 'dead' }) }),
      /dead .* no reason/,
    ],
    [
      'what was cancelled without a reason',
      seen({ events: onWeb({ state: 'cancelled' }) }),
      /cancelled .* no reason/,
    ],
    ['what still waits for nothing', seen({ events: onWeb({ state: 'pending' }) }), /still waits/],
    [
      'a repeat that is not marked',
      seen({ arrivals: [...arrivals, ...arrivals.slice(1)] }),
      /came again on "web" and was not marked/,
    ],
    [
      'a repeat that only the daemon could mark, and did not',
      seen({ arrivals: [...arrivals, ...arrivals.slice(0, 1)] }),
      /came again on "out" and was not marked/,
    ],
    [
      'an event that no hook sent',
      seen({ events: [event, { ...event, payload: '{"message":"claim-x-1"}' }] }),
      /stored "claim-x-1", which no hook/,
    ],
    [
      'a message about nothing',
      seen({ arrivals: [...arrivals, { channel: 'web', id: 'e2', claim: null, isMarked: false }] }),
      /"web" received "", which no hook/,
    ],
  ];
  for (const [what, doctored, fault] of faults) {
    test(what, () => {
      const found = judge(owed, doctored);
      assert.equal(found.length, 1, found.join('\n'));
      assert.match(found[0] ?? '', fault);
    });
  }
});

describe('judge() accepts', () => {
  test('what is held, what died with a reason, and what was sent while the spool took nothing', () => {
    const held = seen({ events: onWeb({ state: 'pending' }), held: new Set(['web']) });
    const dead = seen({ events: onWeb({ state: 'dead', reason: 'It answered 413' }) });
    const excused = new Map([[claim.name, { claim, isOwed: false }]]);

    assert.deepEqual(judge(owed, held), []);
    assert.deepEqual(judge(owed, dead), []);
    assert.deepEqual(judge(excused, seen({ events: [], arrivals: [] })), []);
  });

  test('a marked repeat, which is counted', () => {
    const repeat = arrivals.slice(1).map((arrival) => ({ ...arrival, isMarked: true }));

    assert.deepEqual(judge(owed, seen({ arrivals: [...arrivals, ...repeat] })), []);
    assert.equal(countRepeats([...arrivals, ...repeat]), 1);
  });
});

test('overtaken() names what came after a later one, and no repeats', () => {
  assert.deepEqual(overtaken([0, 1, 1, 3, 2, 4, 3]), [2]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { type Credits, usedCreditsText, type LookedUp } from '../../src/core/looked-up.ts';
import type { CachedSession } from '../../src/delivery/look-up.ts';
import { mergeLookedUp } from '../../src/delivery/enrich.ts';
import { reportedCredits } from '../../src/delivery/words.ts';
import { rendered } from '../support/rendered.ts';
import { sampleEvent } from '../support/sample.ts';
import { sampleSession } from '../support/store.ts';

const START = 1_700_000_000_000;
const MINUTE = 60_000;

function inclusive(amount: number): Credits {
  return { amount, source: 'inclusiveTokenUsage' };
}

function answered(
  minute: number,
  credits: Credits | null,
  fields: Partial<CachedSession> = {},
): CachedSession {
  const session = { title: 'Fix', status: 'idle', computerId: 'c1', activeMs: 720_000, credits };
  return { askedAt: START + minute * MINUTE, session, computer: 'devbox', ...fields };
}

function stopAt(minute: number) {
  return sampleEvent({ kind: 'turn.done', event: 'Stop', at: START + minute * MINUTE });
}

function after(
  before: LookedUp | null,
  known: CachedSession | null,
  event = sampleEvent(),
): LookedUp | null {
  return mergeLookedUp(before, { known, transcriptTitle: null, event });
}

describe('credits in a notification (A40)', () => {
  test('reportedCredits() returns the growth since the stop before, the same on every channel of the event', () => {
    const [first, second] = [stopAt(0), stopAt(12)];
    const looked = after(
      after(null, answered(0, inclusive(1_000)), first),
      answered(12, inclusive(1_450)),
      second,
    );
    assert.ok(looked);

    const told = reportedCredits(looked, second);
    assert.deepEqual(told, { ...inclusive(1_450), growth: { amount: 450, sinceMs: 12 * MINUTE } });
    assert.ok(told);
    assert.equal(
      usedCreditsText(told),
      '+450 credits since it stopped 12 min earlier, 1,450 in all (inclusive token usage)',
    );
    assert.equal(after(looked, answered(12, inclusive(1_450)), second), looked);
  });

  test('reportedCredits() returns the total, and which sum it is, without a known growth', () => {
    const looked = after(null, answered(0, { amount: 1, source: 'tokenUsage' }), stopAt(0));
    assert.ok(looked);

    const told = reportedCredits(looked, stopAt(0));
    assert.ok(told);
    assert.equal(usedCreditsText(told), '1 credit (token usage)');
  });

  test('reportedCredits() never compares different sums, nor a smaller one with a greater', () => {
    for (const credits of [inclusive(900), { amount: 2_000, source: 'tokenUsage' } as const]) {
      const first = after(null, answered(0, inclusive(1_000)), stopAt(0));
      const event = stopAt(5);
      const looked = after(first, answered(5, credits), event);
      assert.ok(looked);
      assert.deepEqual(reportedCredits(looked, event), { ...credits, growth: null });
    }
  });

  test('mergeLookedUp() ignores an answer from before the stop', () => {
    const looked = after(null, answered(0, inclusive(1_000)), stopAt(3));

    assert.deepEqual(looked?.stops, []);
  });

  test('mergeLookedUp() keeps values that the service no longer reports', () => {
    const first = after(null, answered(0, inclusive(5)));
    const silent = { title: null, status: 'idle', computerId: null, activeMs: null, credits: null };

    const looked = after(first, { askedAt: START + MINUTE, session: silent, computer: null });

    assert.deepEqual(
      [looked?.title, looked?.computer, looked?.activeMs, looked?.credits],
      ['Fix', 'devbox', 720_000, inclusive(5)],
    );
  });
});

describe('looked-up details of a session, in its notification', () => {
  const lookedUp = after(null, answered(0, inclusive(1_000)));

  test('is in the headline, below the message and in separate fields', () => {
    const told = rendered({ message: 'Which one?' }, { session: sampleSession({ lookedUp }) });

    assert.equal(told.title, 'shop is waiting for you · Fix');
    assert.equal(
      told.body,
      'Which one?\nClaude Code · Computer: devbox · At work 12 min · 1,000 credits (inclusive token usage)',
    );
    assert.deepEqual([told.computer, told.activeMs, told.sessionTitle], ['devbox', 720_000, 'Fix']);
  });

  const titled: LookedUp | null = lookedUp && { ...lookedUp, transcriptTitle: 'Transcript' };
  const rows = [
    { name: 'the service', lookedUp: titled, title: 'Payload', wanted: 'Fix' },
    {
      name: 'the payload',
      lookedUp: titled && { ...titled, title: null },
      title: 'Payload',
      wanted: 'Payload',
    },
    {
      name: 'the transcript',
      lookedUp: titled && { ...titled, title: null },
      title: null,
      wanted: 'Transcript',
    },
    { name: 'the first prompt', lookedUp: null, title: null, wanted: 'Do it' },
  ];
  for (const { name, wanted, ...fields } of rows) {
    test(`is called by ${name} if nothing better is known`, () => {
      const session = sampleSession({ ...fields, firstPrompt: 'Do it' });

      assert.equal(rendered({}, { session }).sessionTitle, wanted);
    });
  }

  test('{title} in a template is the directory where nothing else is known', () => {
    const templates = { title: { default: '{title} {computer}' }, body: {} };

    assert.equal(rendered({}, { session: sampleSession(), templates }).title, 'shop');
  });

  test('a hostile title is cleaned and stays on one line', () => {
    const hostile = lookedUp && {
      ...lookedUp,
      title: 'evil\u001b[31m\u202e\nforged',
      computer: 'a\nb',
    };
    const told = rendered({}, { session: sampleSession({ lookedUp: hostile }) });

    assert.match(told.title, / · evil forged$/);
    assert.equal(told.computer, 'a b');
  });
});

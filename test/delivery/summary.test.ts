import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { ClaimedDelivery } from '../../src/core/outbox.ts';
import { createRenderer } from '../../src/delivery/render.ts';
import { manualClock } from '../support/manual-clock.ts';
import { deliveryStore, firstClaim } from '../support/delivery-store.ts';
import { sampleEvent } from '../support/sample.ts';

/** A claimed delivery combined with this many other events, of two further sessions. */
async function claimed(others: number): Promise<ClaimedDelivery> {
  const store = deliveryStore(manualClock());
  const also = Array.from({ length: others }, (_, index) =>
    sampleEvent({
      at: 1_700_000_000_001 + index,
      sessionId: `t${index % 2}`,
      message: `Question ${index + 1}`,
      kind: index === 0 ? 'turn.failed' : 'needs.input',
    }),
  );
  store.add({
    channel: 'desktop',
    event: { kind: 'needs.permission', message: 'May I?' },
    also,
    delivery: { quietly: true },
  });
  const one = await firstClaim(store, 'desktop');
  return one;
}

const { notification } = createRenderer();

test('a notification of one event is not a summary, and keeps its quiet flag', async () => {
  const { title, quietly } = notification(await claimed(0));

  assert.deepEqual([title, quietly], ['shop needs permission', true]);
});

test('E18: a summary has the headline, kind and severity of the gravest, counts the others, and lists all of them', async () => {
  const { title, body, severity, kind } = notification(await claimed(2));

  assert.equal(title, 'shop failed · and 2 other sessions');
  assert.equal(
    body,
    [
      'shop failed: Question 1',
      'shop needs permission: May I?',
      'shop is waiting for you: Question 2',
    ].join('\n'),
  );
  assert.deepEqual([severity, kind], ['critical', 'turn.failed']);
});

test('a summary lists ten events, the gravest and oldest first, and counts the rest', async () => {
  const { title, body } = notification(await claimed(12));

  const lines = body.split('\n');
  assert.match(title, / · and 12 more from 3 sessions$/);
  assert.deepEqual(
    [lines.length, lines.at(0), lines.at(-1)],
    [11, 'shop failed: Question 1', 'and 3 more'],
  );
});

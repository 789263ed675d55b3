import assert from 'node:assert/strict';
import test from 'node:test';

import type { Alert } from '../../src/core/alert.ts';
import type { Kind } from '../../src/core/hook-event.ts';
import {
  NOW,
  sampleAlert,
  sampleEffects,
  sampleRecord,
  tell,
  temporaryStore,
} from '../support/store.ts';

const range = { from: NOW, to: NOW + 10 };

test('usage() counts what came in within the time, and nothing before or after', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  for (const receivedAt of [NOW - 1, NOW, NOW + 9, NOW + 10]) {
    await store.events.accept([sampleRecord({ receivedAt })], tell('desktop'));
  }

  const { events } = await store.history.usage(range);

  assert.equal(events, 2);
});

test('usage() counts what arrived, by channel, without the inbox and what is still on its way', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  await store.events.accept([sampleRecord({ receivedAt: NOW })], tell('desktop', 'team', 'inbox'));
  for (const channel of ['desktop', 'inbox']) {
    const [claimed] = await store.outbox.claim({ channel, now: NOW, leaseMs: 1_000, limit: 1 });
    await store.outbox.recordAttempt({
      deliveryId: claimed?.delivery.id ?? '',
      fence: claimed?.fence ?? 0,
      state: 'sent',
      reason: null,
      attempt: { number: 1, startedAt: NOW, durationMs: 1, outcome: 'delivered', reason: null },
    });
  }

  const { sent } = await store.history.usage(range);

  assert.deepEqual(sent, { desktop: 1 });
});

test('usage() knows how long agents waited for an answer, and that some got none', async () => {
  await using opened = await temporaryStore();
  const { store } = opened;
  const closed = { state: 'resolved', closedAt: NOW + 500, closedBy: 'event' } as const;
  const alerts: readonly (Partial<Alert> & { readonly kind: Kind })[] = [
    { kind: 'needs.permission', ...closed },
    { kind: 'needs.input', ...closed, acknowledgedAt: NOW + 300 },
    { kind: 'needs.input', ...closed, closedBy: 'time' },
    { kind: 'needs.input', state: 'expired', closedAt: NOW + 500, closedBy: 'time' },
    { kind: 'needs.input', state: 'open' },
    { kind: 'turn.done', ...closed },
  ];
  for (const [index, fields] of alerts.entries()) {
    const sessionKey = `claude:s${index}`;
    const record = sampleRecord({ receivedAt: NOW, sessionKey });
    await store.events.accept([record], (_memory, event) =>
      sampleEffects({
        alerts: [sampleAlert(event, { id: `alert-${index}`, openedAt: NOW, ...fields })],
      }),
    );
  }

  const { questions, answered, waitsMs } = await store.history.usage(range);

  assert.deepEqual([questions, answered], [5, 2]);
  assert.deepEqual(
    waitsMs.toSorted((one, other) => one - other),
    [300, 500],
  );
});

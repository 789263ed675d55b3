import type { NewDelivery } from '../../src/core/delivery.ts';
import type { HookEvent } from '../../src/core/hook-event.ts';
import type { DecideDue } from '../../src/core/due.ts';
import type { TestStore } from './store.ts';
import {
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
} from './store.ts';

export const releaseAll: DecideDue = ({ due }) =>
  due.map(() => ({ type: 'release', quietly: false, decision: null }));

/** One event with an open alert and these deliveries of it, held for their step unless they say otherwise. */
export async function hold(
  { store }: TestStore,
  deliveries: readonly Partial<NewDelivery>[],
  event: Partial<HookEvent> = {},
): Promise<HookEvent> {
  const record = sampleRecord(event);
  await store.events.accept([record], () =>
    sampleEffects({
      session: sampleSession({ key: record.event.sessionKey }),
      alerts: [sampleAlert(record.event)],
      deliveries: deliveries.map((fields) =>
        sampleDelivery({ alertId: `alert of ${record.event.id}`, heldFor: 'step', ...fields }),
      ),
    }),
  );
  return record.event;
}

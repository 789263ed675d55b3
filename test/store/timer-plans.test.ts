import assert from 'node:assert/strict';
import test from 'node:test';

import type { Driver } from '../../src/store/sqlite/driver.ts';
import { nothingLookedUp } from '../../src/core/looked-up.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { claim, settlement } from '../support/claims.ts';
import {
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  temporaryStore,
} from '../support/store.ts';

/** Walks a whole table: an index, even all of a partial one, is named where it is used. */
const wholeTable =
  /^SCAN (?!busy|json_each|sqlite_schema|VIRTUAL|CONSTANT|covered\b|running\b)(?!.*USING (?:COVERING )?INDEX)/;

test('no statement of alerts, timers, mutes and withdrawals walks through a table', async () => {
  const open = await loadDriver();
  const statements = new Set<string>();
  const drivers: Driver[] = [];
  await using opened = await temporaryStore({
    openDriver(path) {
      const driver = open(path);
      drivers.push(driver);
      return {
        exec: (sql) => driver.exec(sql),
        prepare(sql) {
          statements.add(sql);
          return driver.prepare(sql);
        },
        close: () => driver.close(),
      };
    },
  });
  const { store } = opened;
  const record = sampleRecord();
  const alertId = `alert of ${record.event.id}`;

  await store.events.accept([record], (memory, event) => {
    const { channel, session } = memory.traffic('desktop', null);
    const seen = [channel(1, 'news'), channel(1, 'waits'), session(1, 'all')];
    assert.deepEqual(seen, [null, null, null]);
    return sampleEffects({
      alerts: [sampleAlert(event)],
      deliveries: [
        sampleDelivery({ id: 'sent' }),
        ...['a', 'b', 'c', 'd'].map((id) => sampleDelivery({ id, alertId, heldFor: 'step' })),
      ],
      cancel: [{ alertId, fromStep: 5, exceptChannels: [], reason: 'Over' }],
      withdraw: [{ alertId, reason: 'Over' }],
    });
  });
  await store.outbox.dueTimes();
  await store.held.nextTimer();
  await store.held.dueSessions(NOW);
  await store.sessions.noteLookedUp('claude:s1', () => nothingLookedUp);
  await store.held.releaseDue(NOW, ({ due, traffic }) => {
    assert.equal(traffic(due[0]!).channel(2, 'all'), null);
    const decision = { stage: 'plan', verdict: 'note', reason: 'Because' } as const;
    return [
      { type: 'release', quietly: false, decision: null },
      { type: 'join', carrier: 'a', decision },
      { type: 'hold', heldFor: 'mute', until: NOW, decision },
      { type: 'cancel', decision },
    ];
  });
  for (const claimed of await claim(store))
    await store.outbox.recordAttempt(settlement(claimed, { ref: 'r' }));
  await store.events.accept([sampleRecord()], () =>
    sampleEffects({ withdraw: [{ alertId, reason: 'x' }] }),
  );
  await store.shown.finishWithdrawals(await store.shown.withdrawals('desktop', 9));
  await store.shown.displayed('desktop', 9);
  await store.alerts.acknowledge({
    of: { sessionKey: record.event.sessionKey },
    by: 'x',
    now: NOW,
    exceptChannels: [],
  });
  await store.alerts.acknowledge({ of: 'all', by: 'x', now: NOW, exceptChannels: [] });
  await store.alerts.acknowledge({
    of: { deliveryId: 'a' },
    by: 'x',
    now: NOW,
    exceptChannels: [],
  });
  await store.alerts.expire({ now: NOW + 1e9, exceptChannels: [] });
  await store.mutes.active(NOW);
  await store.mutes.remove(['none']);
  await store.queue.drop(['none'], 'x');
  await store.queue.retry(['none'], NOW);

  const [driver] = drivers;
  const walks = [...statements]
    .filter((sql) => /^(?:SELECT|UPDATE|DELETE|\s*WITH)/.test(sql))
    .flatMap((sql) => detailsOf(driver!, sql).map((detail) => ({ detail, sql })))
    .filter(({ detail }) => wholeTable.test(detail));
  assert.deepEqual(walks, []);
  assert.ok(statements.size > 30);
});

function detailsOf(driver: Driver, sql: string): readonly string[] {
  return driver
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => {
      assert.ok(typeof row === 'object' && row !== null && 'detail' in row);
      return String(row.detail);
    });
}

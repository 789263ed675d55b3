import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { loadDriver } from '../../src/store/driver.ts';
import { migrations } from '../../src/store/migrations/migrations.ts';
import { claim } from '../support/claims.ts';
import { decideNothing, NOW, sampleRecord, storeAt } from '../support/store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A database as the first release left it: an event, its live alert, a sent first step and a second step to come. */
async function firstRelease(path: string): Promise<void> {
  const open = await loadDriver();
  const driver = open(path);
  driver.exec('PRAGMA auto_vacuum = INCREMENTAL');
  driver.exec(migrations[0] ?? '');
  driver.exec('PRAGMA user_version = 1');
  driver.exec(`
    INSERT INTO events (id, at, received_at, agent, event, kind, session_key, failed, subagent, background_work, duplicate_key, facts, decisions, suppressed)
      VALUES ('old', ${NOW}, ${NOW}, 'claude', 'Notification', 'needs.input', 'claude:s1', 0, 0, 0, 'key', '{}', '[]', 0);
    INSERT INTO payloads VALUES (1, x'7b7d');
    INSERT INTO alerts (id, session_key, state, kind, event, event_id, opened_at, plan)
      VALUES ('alert', 'claude:s1', 'open', 'needs.input', 'Notification', 'old', ${NOW},
        '{"name":"escalate","steps":[{"afterMs":0,"notify":["desktop"]},{"afterMs":60000,"notify":["team"]}]}');
    INSERT INTO deliveries (id, event_id, alert_id, session_key, step, channel, state, due_at, created_at)
      VALUES ('first', 'old', 'alert', 'claude:s1', 0, 'desktop', 'pending', ${NOW}, ${NOW}),
        ('second', 'old', 'alert', 'claude:s1', 1, 'team', 'pending', ${NOW + 60_000}, ${NOW});
  `);
  driver.close();
}

test('a database of the first release is taken over: plans, the end of alerts, steps to come', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await firstRelease(path);

  await using opened = await storeAt(path);

  const [alert] = await opened.store.alerts.live();
  assert.deepEqual(alert?.plan, {
    name: 'escalate',
    steps: [
      { afterMs: 0, notify: ['desktop'], repeat: null, condition: null },
      { afterMs: 60_000, notify: ['team'], repeat: null, condition: null },
    ],
  });
  assert.deepEqual([alert?.expiresAt, alert?.acknowledgedAt], [NOW + 12 * 3_600_000, null]);
  assert.deepEqual(
    (await claim(opened.store)).map(({ delivery }) => delivery.id),
    ['first'],
  );
  assert.deepEqual(await claim(opened.store, { channel: 'team', now: NOW + 1e6 }), []);
  assert.equal(await opened.store.held.nextTimer(), NOW + 60_000);
  assert.deepEqual(await opened.store.events.accept([sampleRecord()], decideNothing), [
    'committed',
  ]);
});

test('a database without the conditions of held deliveries gets them from the plans', async () => {
  await using directory = await temporaryDirectory();
  const path = join(directory.path, 'hookbell.db');
  await firstRelease(path);
  const driver = (await loadDriver())(path);
  driver.exec(migrations[1] ?? '');
  driver.exec(`
    PRAGMA user_version = 2;
    UPDATE alerts SET plan = json_set(plan, '$.steps[1].condition', json('{"presence":"away"}'));
  `);
  driver.close();

  await using opened = await storeAt(path);

  const [first, second] = (await opened.store.history.event('old'))?.deliveries ?? [];
  assert.deepEqual([first?.delayMs, first?.condition], [0, null]);
  assert.deepEqual([second?.delayMs, second?.condition], [60_000, { presence: 'away' }]);
});

import assert from 'node:assert/strict';
import test from 'node:test';

import { measureBy } from '../../src/alerts/measure-wait.ts';
import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { claim, settlement } from '../support/claims.ts';
import { watchedDriver } from '../support/driver.ts';
import { sampleMute } from '../support/sample.ts';
import type { TestStore } from '../support/store.ts';
import { ALL_DAY } from '../support/waiting-run.ts';
import {
  decideNothing,
  NOW,
  sampleAlert,
  sampleDelivery,
  sampleEffects,
  sampleRecord,
  sampleSession,
  temporaryStore,
} from '../support/store.ts';

/** Always small, or with one row per channel. */
const SMALL_TABLES = ['channel_states', 'counters', 'busy', 'json_each', 'sqlite_schema'];
/** Walked through because it holds only what is under way, and because the walk ends at the limit. */
const WALKED_INDEXES = ['deliveries_claimed', 'quarantine_by_time', 'relay_outbox', 'waits_open'];

/** Calls every method of the store, in all the ways that make different SQL. */
async function callEverything({ store }: TestStore): Promise<void> {
  await store.events.accept([sampleRecord(), sampleRecord()], ({ alert }, event) =>
    sampleEffects({
      session: sampleSession(),
      alerts: alert === null ? [sampleAlert(event)] : [{ ...alert, state: 'resolved' }],
      deliveries: [
        sampleDelivery({ id: `a ${event.id}` }),
        sampleDelivery({ id: `b ${event.id}`, channel: 'team' }),
      ],
      cancel: [{ alertId: 'other', fromStep: 0, exceptChannels: ['log'], reason: 'Answered' }],
    }),
  );
  await store.events.accept(
    [sampleRecord({ duplicate: { key: 'windowed', windowMs: 1000 } })],
    decideNothing,
  );
  const [claimed] = await claim(store, { leaseMs: 1 });
  await claim(store, { now: NOW + 1 });
  await store.outbox.release(claimed!.delivery.id, 2);
  const [again] = await claim(store, { now: NOW + 1 });
  await store.outbox.recordAttempt(settlement(again!, { state: 'dead' }));
  await claim(store, { channel: 'team' });
  await store.outbox.releaseLost('desktop', []);
  await store.outbox.recoverClaims(NOW);
  await store.outbox.shiftForClock(NOW);
  await store.outbox.dueTimes();
  await store.outbox.saveChannelState({
    channel: 'team',
    notBefore: 0,
    circuit: 'closed',
    openUntil: null,
    failures: 0,
    lastOutcome: null,
    lastReason: null,
    lastAt: null,
    missingMs: 0,
  });
  await store.outbox.channelStates();
  for (const agent of [{}, { agent: 'claude' }] as const) {
    for (const session of [{}, { sessionKeys: ['claude:s1'] }]) {
      for (const suppressed of [{}, { suppressed: true }]) {
        await store.history.list({ limit: 10, ...agent, ...session, ...suppressed });
      }
    }
  }
  await store.history.list({ limit: 10, before: 'event-1' });
  await store.history.event('last');
  for (const table of ['events', 'deliveries', 'mutes'] as const) {
    await store.history.idsBeginning(table, 'event-', 10);
  }
  await store.sessions.list({ limit: 10 });
  await store.sessions.elsewhere('s1');
  await store.alerts.liveOf(['droid:s1']);
  await store.queue.list({ limit: 10, states: ['pending', 'retrying', 'dead'] });
  await store.queue.retry('all-dead', NOW);
  await store.outbox.retryNow('desktop', NOW);
  await store.queue.retry([claimed!.delivery.id], NOW);
  await store.queue.drop([claimed!.delivery.id], 'Dropped');
  await store.queue.drop('all', 'Dropped');
  await store.events.addDecision('event-1', {
    stage: 'delivery',
    verdict: 'note',
    reason: 'Later',
  });
  await store.mutes.add(sampleMute(), ['log']);
  await store.relay.batch({ limit: 1, maxBytes: 1 });
  await store.relay.backlog();
  await store.relay.complete([{ eventId: 'event-1', refusal: 'Malformed' }]);
  await store.relay.giveUp({ keepMs: 0, reason: 'Too old' });
  await store.upkeep.selfCheck(NOW);
  await store.upkeep.counts();
  await store.history.lastEvents();
  await store.history.lastHook('s1');
  await store.history.words(0);
  await store.history.waitsSeen(0);
  await store.quarantine.add({ id: 'q', at: NOW, reason: 'empty', detail: '', bytes: 0 });
  await store.quarantine.list(10);
  await store.outbox.addAwakeTime(1_000);
  await store.upkeep.countElapsedTime(NOW);
  await store.upkeep.countElapsedTime(NOW + 1_000);
  await store.outbox.giveUp({ channel: 'desktop', waitedMs: 0, reason: 'Too old', limit: 10 });
  await store.events.accept([sampleRecord()], (_memory, { sessionKey, at }) =>
    sampleEffects({ answered: { alertId: null, sessionKey, at, reason: 'Answered' } }),
  );
  const measure = measureBy(ALL_DAY);
  await store.events.accept([sampleRecord(), sampleRecord()], ({ wait }, { at: since }) =>
    sampleEffects({
      wait: {
        ended: wait?.() == null ? null : { until: NOW, ending: 'terminal', via: null },
        begun: { kind: 'needs.input', since },
      },
    }),
  );
  await store.waits.measure({ measure, exceptChannels: [], limit: 10 });
  const period = { since: NOW, until: NOW + 1 };
  await store.waits.series(period);
  await store.waits.nameRequests({ nameOf: () => ['npm test', []], limit: 10 });
  await store.waits.requests(period);
  await store.waits.measuredRequests({ ...period, limit: 10 });
  await store.waits.toolCalls({ since: NOW, before: 10, limit: 10 });
  await store.waits.addGap({ from: NOW - 1_000, to: NOW + 1_000, cause: 'asleep' }, measure);
  await store.waits.shiftOpen(1);
  await store.upkeep.prune({ keepMs: 0, before: NOW + 1, maxBytes: 0 });
}

function isSlow(step: string, sql: string): boolean {
  // People have few mutes, and the further events of a message are read by an index.
  if (sql.includes(' FROM mutes ') || step === 'SCAN covered') return false;
  // Thousands may be held for other reasons.
  if (step.startsWith('SEARCH deliveries') && sql.includes("held_for = 'settle'")) {
    return !step.includes('deliveries_settling');
  }
  // A sort means that all matches were read, however few are asked for.
  if (step.startsWith('USE TEMP B-TREE')) return true;
  // The events of one agent, or the suppressed ones, may be nearly all events.
  if (
    step.startsWith('SEARCH events') &&
    !sql.startsWith('UPDATE') &&
    /\bsession_key = \?/.test(sql)
  ) {
    return !step.includes('events_by_session');
  }
  if (!step.startsWith('SCAN') || step === 'SCAN CONSTANT ROW') return false;
  return ![...SMALL_TABLES, ...WALKED_INDEXES].some((name) => step.split(' ').includes(name));
}

function planOf(driver: Driver, sql: string): readonly string[] {
  return driver
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => String(Object.entries(row ?? {}).find(([name]) => name === 'detail')?.[1]));
}

test('no statement walks through a table or sorts one: a million events cost no more than a thousand', async () => {
  const statements = new Set<string>();
  const openDriver = await watchedDriver({ onRun: (sql) => void statements.add(sql) });
  await using opened = await temporaryStore({ openDriver });

  await callEverything(opened);
  await opened.store.close();

  const driver = (await loadDriver())(opened.path);
  const planned = [...statements].filter((sql) =>
    /^\s*(?:SELECT|WITH|INSERT|UPDATE|DELETE)\b/.test(sql),
  );
  const slow = planned.flatMap((sql) =>
    planOf(driver, sql)
      .filter((step) => isSlow(step, sql))
      .map((step) => `${step} in: ${sql}`),
  );
  driver.close();
  assert.deepEqual(slow, []);
  assert.ok(planned.length > 50, `only ${planned.length} statements were seen`);
});

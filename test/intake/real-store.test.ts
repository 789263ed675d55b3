import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import { traitsOf } from '../../src/agents/registry.ts';
import { decide } from '../../src/alerts/decide.ts';
import { unknownPresence } from '../../src/core/policy.ts';
import type { Decide } from '../../src/core/store.ts';
import { samplePolicy } from '../support/decisions.ts';
import { putEnvelope } from '../support/envelopes.ts';
import { intakeRun } from '../support/intake-run.ts';
import { readPayloadFixture } from '../support/payload-fixtures.ts';
import { temporaryStore } from '../support/store.ts';

const decideBySample: Decide = (memory, event) =>
  decide(memory, event, {
    agents: traitsOf,
    policy: samplePolicy,
    now: event.at,
    presence: unknownPresence,
    newId: randomUUID,
  });

describe('intake into the real store', () => {
  test('an event of Claude Code is kept with its payload, its session and what was decided', async () => {
    await using database = await temporaryStore();
    const { store } = database;
    await using run = await intakeRun({ store, decide: decideBySample });
    const payload = readPayloadFixture('claude/Notification-1.json');
    const name = await putEnvelope(run.spool, payload, { facts: { claudecode: '1' } });

    await run.intake.drain();

    const entry = await store.history.event(name);
    assert.equal(entry?.event.kind, 'needs.permission');
    assert.deepEqual(Buffer.from(entry.payload), Buffer.from(payload));
    assert.deepEqual(entry.deliveries.map(({ channel }) => channel).toSorted(), [
      'desktop',
      'log',
      'team',
    ]);
    const [session] = await store.sessions.list({ limit: 1 });
    assert.equal(session?.state, 'waiting');
    assert.deepEqual(run.left(), []);
  });

  test('one envelope a hundred times is one event; two hooks of one event notify once (fault 44)', async () => {
    await using database = await temporaryStore();
    const { store } = database;
    await using run = await intakeRun({ store, decide: decideBySample });
    const payload = readPayloadFixture('codex/notify-1.json');
    const facts = { agent: 'codex' };
    const first = await putEnvelope(run.spool, payload, { facts });
    const copy = join(run.spool, '..', 'copy');
    await copyFile(join(run.spool, first), copy);
    for (let round = 0; round < 100; round += 1) {
      await copyFile(copy, join(run.spool, first));
      await run.intake.drain();
    }

    const second = await putEnvelope(run.spool, readPayloadFixture('codex/Stop-1.json'), { facts });
    await run.intake.drain();

    assert.equal((await store.upkeep.counts()).events, 2);
    const entry = await store.history.event(second);
    assert.deepEqual(entry?.deliveries, []);
    assert.match(entry?.decisions.at(-1)?.reason ?? '', new RegExp(first));
  });

  test('large payloads that come together are kept byte for byte, each its own (A15)', async () => {
    await using database = await temporaryStore();
    const { store } = database;
    await using run = await intakeRun({ store, decide: decideBySample });
    const payloads = [9, 12, 3, 10, 4, 4].map((megabytes, index) =>
      JSON.stringify({
        hook_event_name: 'Stop',
        session_id: `s${index}`,
        filler: String(index).repeat(megabytes * 1024 * 1024),
      }),
    );
    const names: string[] = [];
    for (const payload of payloads) names.push(await putEnvelope(run.spool, payload));

    await run.intake.drain();

    for (const [index, name] of names.entries()) {
      const kept = await store.history.event(name);
      assert.ok(Buffer.from(kept?.payload ?? []).equals(Buffer.from(payloads[index] ?? '')), name);
    }
    assert.deepEqual(run.left(), []);
  });

  test('an invalid event is listed in quarantine', async () => {
    await using database = await temporaryStore();
    const { store } = database;
    await using run = await intakeRun({ store, decide: decideBySample });
    const name = await putEnvelope(run.spool, '[]');

    await run.intake.drain();

    const listed = await store.quarantine.list(10);
    assert.deepEqual(
      listed.map(({ id, reason }) => [id, reason]),
      [[name, 'not-object']],
    );
  });
});

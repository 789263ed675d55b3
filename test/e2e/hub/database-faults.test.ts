import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { until } from '../../support/hookbell-home.ts';
import { hubHomes } from '../../support/hub-homes.ts';
import { underLoad } from '../../support/hub-load.ts';
import { enrolMany, linksTo, portsOf } from '../../support/hub-machines.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { sampleRecord, tell } from '../../support/store.ts';

/** Longer than a process waits between two looks at the database. */
const SETTLED_MS = 1_200;

describe('a hub whose database misbehaves', { skip: needsPostgres() }, () => {
  test('sends what another process stored, also when every notification of the database is lost', async () => {
    await using team = await hubHomes();
    // In front of that of the system: it notifies no one.
    await team.postgres.run(`
      CREATE FUNCTION pg_notify(text, text) RETURNS void LANGUAGE sql AS '';
      ALTER DATABASE hookbell SET search_path = public, pg_catalog;
    `);
    for (const hub of team.hubs) await hub.start();
    await delay(SETTLED_MS);
    const listener = new Client(team.postgres.url);
    await listener.connect();
    const heard: unknown[] = [];
    listener.on('notification', (one) => heard.push(one));
    await listener.query('LISTEN hookbell');
    // A process that never sends.
    const { store, hub } = await openServerStore({ url: team.postgres.url });
    try {
      for (const name of ['first', 'second', 'third']) {
        await store.events.accept([sampleRecord({ id: name, sessionId: name })], tell('out'));
        await until(async () => (await team.lines()).some(({ sessionId }) => sessionId === name));
      }
      const [place] = team.hubs;
      await hub.invite({
        email: 'ada@example.com',
        name: null,
        team: null,
        codeHash: 'none',
        expireAfterMs: 1_000,
        actor: { type: 'hub' },
      });
      await until(async () => (await place?.ask('GET /v1/hub-people'))?.length === 1);

      assert.equal((await team.lines()).length, 3);
      assert.deepEqual(heard, []);
    } finally {
      await store.close();
      await listener.end();
    }
  });

  test('loses nothing, and marks what it sends twice, while the clock of the database steps by minutes and by an hour, and back', async () => {
    await using team = await hubHomes();
    // In front of that of the system.
    await team.postgres.run(`
      CREATE TABLE clock_step (by interval NOT NULL);
      INSERT INTO clock_step VALUES ('0');
      CREATE FUNCTION clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM public.clock_step)';
      ALTER DATABASE hookbell SET search_path = public, pg_catalog;
    `);
    for (const hub of team.hubs) await hub.start();
    const links = linksTo(await portsOf(team), await enrolMany(team, 4));
    const step = (by: string) => async () => {
      await team.postgres.run(`UPDATE clock_step SET by = '${by}'`);
      // Each process has read it.
      await delay(SETTLED_MS);
    };

    const { lost, unmarked } = await underLoad(team, links, {
      name: 'stepped',
      events: 1_000,
      faults: [
        [0.2, step('4 minutes')],
        [0.4, step('-4 minutes')],
        // Machines are refused until it is right again.
        [0.6, step('1 hour')],
        [0.6, step('0')],
        [0.7, step('-1 hour')],
        [0.7, step('0')],
      ],
    });

    for (const link of links) link.close();
    // A step ahead by more than a lease hands what is in flight to the other process.
    assert.deepEqual({ lost, unmarked }, { lost: 0, unmarked: 0 });
  });
});

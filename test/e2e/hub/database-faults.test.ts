import assert from 'node:assert/strict';
import { chown, cp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { openServerStore } from '../../../src/store/postgres/open-server-store.ts';
import { until } from '../../support/hookbell-home.ts';
import { hubHomes } from '../../support/hub-homes.ts';
import { underLoad } from '../../support/hub-load.ts';
import { enrolMany, linksTo, portsOf } from '../../support/hub-machines.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { fillDisk, mountSmall, needsMount } from '../../support/small-file-system.ts';
import { sampleRecord, tell } from '../../support/store.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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
    await using team = await hubHomes({ isDirect: true });
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
      events: 240,
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

  test(
    'loses nothing when the disk of the write-ahead log is full, by which PostgreSQL itself ends',
    { skip: needsMount() },
    async () => {
      await using place = await temporaryDirectory();
      await using small = await mountSmall(place.path, 128);
      const owner = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
      await chown(small.path, owner, owner);
      // A segment that is no longer needed is removed, not used again: the next one needs room on the disk.
      await using team = await hubHomes({ settings: ['wal_recycle = off'], isDirect: true });
      const { postgres } = team;
      const log = join(postgres.directory, 'data', 'pg_wal');
      await postgres.kill();
      await cp(log, small.path, { recursive: true });
      for (const name of await readdir(small.path))
        await chown(join(small.path, name), owner, owner);
      await rm(log, { recursive: true });
      await symlink(small.path, log);
      await postgres.start();
      for (const hub of team.hubs) await hub.start();
      const ports = await portsOf(team);
      const links = linksTo(ports, await enrolMany(team, 4));
      const filler = join(small.path, 'filler');
      const readiness = () =>
        Promise.all(
          ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/readyz`)).status),
        );
      const seen: (readonly number[])[] = [];
      const untilReadiness = async (status: number): Promise<void> => {
        await until(async () => (await readiness()).every((each) => each === status), 60_000);
        seen.push(await readiness());
      };
      const fill = async (): Promise<void> => {
        await fillDisk(filler);
        await until(async () => {
          try {
            await postgres.run('SELECT pg_switch_wal(), pg_logical_emit_message(true, $$$$, $$$$)');
            return false;
          } catch {
            return true;
          }
        }, 60_000);
        await untilReadiness(503);
      };

      const { lost, unmarked } = await underLoad(team, links, {
        name: 'log',
        events: 240,
        faults: [
          [0.25, fill],
          [0.25, () => rm(filler)],
          [0.25, () => postgres.kill()],
          [0.25, () => postgres.start()],
          [0.25, () => untilReadiness(200)],
        ],
      });

      for (const link of links) link.close();
      assert.deepEqual(seen, [
        [503, 503],
        [200, 200],
      ]);
      assert.match(
        await readFile(join(postgres.directory, 'log'), 'utf8'),
        /PANIC:.*No space left/,
      );
      assert.deepEqual({ lost, unmarked }, { lost: 0, unmarked: 0 });
    },
  );
});

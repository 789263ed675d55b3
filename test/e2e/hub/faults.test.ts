import assert from 'node:assert/strict';
import { chown, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';

import { serverMigrations } from '../../../src/store/postgres/server-schema.ts';
import { copyCheckout } from '../../support/checkout.ts';
import { freePort } from '../../support/free-port.ts';
import { type HookbellHome, until } from '../../support/hookbell-home.ts';
import { type HubHomes, hubHomes } from '../../support/hub-homes.ts';
import { type HubLoad, type LoadOutcome, underLoad } from '../../support/hub-load.ts';
import { enrolMany, linksTo, portsOf } from '../../support/hub-machines.ts';
import { isAlive } from '../../support/is-alive.ts';
import { addMigration } from '../../support/next-release.ts';
import { needsPostgres } from '../../support/postgres.ts';
import { runProcess } from '../../support/run-process.ts';
import { fillDisk, mountSmall, needsMount } from '../../support/small-file-system.ts';
import { needs } from '../../support/system-part.ts';
import { rounds } from '../../support/seeded-random.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const skip = needsPostgres();
const MACHINES = 4;
const ROUNDS = rounds(1);
/** Links give up a request after this; daemons wait longer. */
const TIMEOUT_MS = 3_000;

function both({ hubs }: HubHomes): readonly [HookbellHome, HookbellHome] {
  const [one, other] = hubs;
  assert.ok(one && other);
  return [one, other];
}

/** Nothing is lost, and what was sent again says so. */
function assertKept({ lost, unmarked }: LoadOutcome): void {
  assert.deepEqual({ lost, unmarked }, { lost: 0, unmarked: 0 });
}

/** Stops it as its service does. */
async function stop(hub: HookbellHome): Promise<void> {
  const { pid } = await hub.ask('GET /v1/status');
  process.kill(pid, 'SIGTERM');
  await until(() => !isAlive(pid), 60_000);
}

describe('a hub of two processes under load', { skip }, () => {
  test('loses nothing by SIGKILL of each process, of PostgreSQL and of all', async () => {
    await using team = await hubHomes({ isDirect: true });
    const [one, other] = both(team);
    for (const hub of team.hubs) await hub.start();
    const links = linksTo(await portsOf(team), await enrolMany(team, MACHINES));

    const round: HubLoad['faults'] = [
      [0.1, () => one.killDaemon()],
      [0.15, () => one.start()],
      [0.3, () => other.killDaemon()],
      [0.35, () => other.start()],
      [0.5, () => team.postgres.kill()],
      [0.5, () => team.postgres.start()],
      [0.7, () => Promise.all([one.killDaemon(), other.killDaemon(), team.postgres.kill()])],
      [0.7, () => team.postgres.start()],
      [0.7, () => Promise.all([one.start(), other.start()])],
    ];

    // Without a pause between the rounds: at the end, what was claimed by a process that was killed is waited for once.
    const outcome = await underLoad(team, links, {
      name: 'killed',
      events: ROUNDS * 240,
      faults: Array.from({ length: ROUNDS }, (_, index) =>
        round.map(([part, fault]) => [(index + part) / ROUNDS, fault] as const),
      ).flat(),
    });

    for (const link of links) link.close();
    assertKept(outcome);
  });

  test('loses nothing while networks swallow what is sent, to the database and to the hub', async () => {
    await using team = await hubHomes();
    for (const hub of team.hubs) await hub.start();
    const tokens = await enrolMany(team, MACHINES);
    const links = linksTo([team.way.port], tokens, { timeoutMs: TIMEOUT_MS });
    const swallow = async (way: HubHomes['way']): Promise<void> => {
      way.stall();
      // Until the links have seen it.
      await delay(2 * TIMEOUT_MS);
      way.mend();
    };

    const outcome = await underLoad(team, links, {
      name: 'swallowed',
      events: 160,
      faults: [
        [0.25, () => swallow(team.way)],
        [0.5, () => swallow(team.databaseWay)],
      ],
    });

    for (const link of links) link.close();
    assertKept(outcome);
  });

  test('loses nothing on a full disk of the database', { skip: needsMount() }, async () => {
    await using place = await temporaryDirectory();
    await using small = await mountSmall(place.path, 256);
    const owner = process.getuid?.() === 0 ? 65_534 : (process.getuid?.() ?? 0);
    await chown(small.path, owner, owner);
    await using team = await hubHomes({ isDirect: true });
    // The tables are on the small disk, the write-ahead log is not: then the server goes on.
    await team.postgres.run(`CREATE TABLESPACE small LOCATION '${small.path}'`);
    await team.postgres.run("ALTER DATABASE hookbell SET default_tablespace = 'small'");
    for (const hub of team.hubs) await hub.start();
    const links = linksTo(await portsOf(team), await enrolMany(team, MACHINES));
    const filler = join(small.path, 'filler');
    let refused = false;
    const full = async (): Promise<void> => {
      await fillDisk(filler);
      await until(async () => {
        const texts = await Promise.all(team.hubs.map(({ paths }) => readFile(paths.log, 'utf8')));
        refused = texts.some((text) => /no space|disk|full/i.test(text));
        return refused;
      }, 60_000);
    };

    const outcome = await underLoad(team, links, {
      name: 'full',
      events: 300,
      faults: [
        [0.25, full],
        [0.25, () => rm(filler)],
      ],
    });

    for (const link of links) link.close();
    assert.ok(refused);
    assertKept(outcome);
  });

  test('loses nothing when a standby becomes the primary', async () => {
    await using team = await hubHomes({
      settings: ['wal_level = replica', 'max_wal_senders = 4'],
    });
    for (const hub of team.hubs) await hub.start();
    const links = linksTo(await portsOf(team), await enrolMany(team, MACHINES));
    const port = await freePort();
    await using standby = await team.postgres.standby(port);

    const outcome = await underLoad(team, links, {
      name: 'failover',
      events: 160,
      run: (sql) => standby.run(sql),
      faults: [
        [0.4, () => team.postgres.kill()],
        [0.4, () => team.databaseWay.cut()],
        [0.4, () => standby.promote()],
        [0.4, () => team.databaseWay.leadTo(port)],
        [0.4, () => team.databaseWay.mend()],
      ],
    });

    for (const link of links) link.close();
    assertKept(outcome);
    const [row] = await standby.run('SELECT count(*)::int AS count FROM events');
    assert.equal(row?.['count'], 160);
  });

  test(
    'loses nothing while it is upgraded to a release with one more migration',
    { skip: needs('git', 'xargs', 'cp') },
    async () => {
      await using next = await copyCheckout();
      await addMigration(next.path);
      const built = await runProcess(process.execPath, ['scripts/bundle.mjs'], {
        cwd: next.path,
        env: { PATH: process.env['PATH'] ?? '', HOME: next.path },
      });
      assert.equal(built.code, 0, built.stderr);
      await using team = await hubHomes({ isDirect: true });
      const [one, other] = both(team);
      for (const hub of team.hubs) await hub.start();
      const schema = async (): Promise<number> => {
        const [row] = await team.postgres.run(
          'SELECT max(version) AS version FROM hookbell_schema',
        );
        return Number(row?.['version']);
      };
      const links = linksTo(await portsOf(team), await enrolMany(team, MACHINES));

      const outcome = await underLoad(team, links, {
        name: 'upgraded',
        events: 160,
        faults: [
          [0.2, async () => assert.equal(await schema(), serverMigrations.length)],
          [0.2, () => stop(one)],
          [0.2, () => one.start([], next.path)],
          [0.4, async () => assert.equal(await schema(), serverMigrations.length + 1)],
          [0.6, () => stop(other)],
          [0.6, () => other.start([], next.path)],
        ],
      });

      for (const link of links) link.close();
      assertKept(outcome);
    },
  );
});

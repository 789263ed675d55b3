import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { type HookbellHome, until } from '../support/hookbell-home.ts';
import { type HubHomes, hubHomes, startWithClock } from '../support/hub-homes.ts';
import { needsPostgres } from '../support/postgres.ts';

const skip = needsPostgres();
const shiftedClock = fileURLToPath(new URL('../support/shifted-clock.js', import.meta.url));

/** Sends an event by the real hook, which must never show that anything is wrong. */
async function handIn(machine: HookbellHome, claim: string): Promise<void> {
  const { code, stdout, stderr } = await machine.hook({
    hook_event_name: 'Notification',
    session_id: claim,
    message: claim,
    cwd: '/home/dev/shop',
  });
  assert.deepEqual([code, stdout, stderr], [0, '', '']);
}

/** Until everything has arrived; then each claim once, further times only marked as possible duplicates. */
async function arrived(team: HubHomes, claims: readonly string[]): Promise<void> {
  await until(async () => {
    const bodies = new Set((await team.lines()).map(({ sessionId }) => sessionId));
    return claims.every((claim) => bodies.has(claim));
  }, 120_000);
  // Whatever was to be sent twice would be by now.
  await delay(2_000);
  const all = await team.lines();
  const counted = new Map<string | null, boolean[]>();
  for (const { sessionId, possibleDuplicate } of all) {
    counted.set(sessionId, [...(counted.get(sessionId) ?? []), possibleDuplicate]);
  }
  for (const [claim, marks] of counted) {
    assert.ok(marks.slice(1).every(Boolean), `${claim} was sent again unmarked`);
  }
  const [row] = await team.postgres.run('SELECT count(*)::int AS count FROM events');
  assert.equal(row?.['count'], claims.length);
}

test(
  'SIGKILL of each hub, of PostgreSQL and of both, and cut networks: nothing is lost',
  { skip },
  async () => {
    await using team = await hubHomes();
    const { hubs, postgres, way, databaseWay } = team;
    const [one, other] = [hubs[0]!, hubs[1]!];
    for (const hub of hubs) await hub.start();
    const machines = [
      await team.machine('ada-laptop', 'ada@example.com'),
      await team.machine('bob-laptop', 'bob@example.com'),
    ];
    const faults: Readonly<Record<number, () => Promise<unknown> | void>> = {
      5: () => one.killDaemon(),
      10: () => one.start(),
      15: () => other.killDaemon(),
      20: () => other.start(),
      25: () => postgres.kill(),
      30: () => postgres.start(),
      35: () => way.cut(),
      40: () => way.mend(),
      45: () => databaseWay.cut(),
      50: () => databaseWay.mend(),
      55: () => Promise.all([one.killDaemon(), other.killDaemon(), postgres.kill()]),
      60: async () => {
        await postgres.start();
        await Promise.all([one.start(), other.start()]);
      },
      65: () => machines[0]?.killDaemon(),
      70: () => machines[0]?.start(),
    };
    const claims = Array.from({ length: 80 }, (_, index) => `claim-${index}`);

    for (const [index, claim] of claims.entries()) {
      await faults[index]?.();
      await handIn(machines[index % machines.length]!, claim);
      await delay(20);
    }

    await arrived(team, claims);
  },
);

test(
  'hubs whose clocks are wrong by ten minutes in both directions take everything, at the right time',
  { skip },
  async () => {
    await using team = await hubHomes();
    const [one, other] = [team.hubs[0]!, team.hubs[1]!];
    await startWithClock(one, 600_000, shiftedClock);
    await startWithClock(other, -600_000, shiftedClock);
    const machine = await team.machine('ada-laptop', 'ada@example.com');
    const claims = Array.from({ length: 20 }, (_, index) => `claim-${index}`);
    for (const claim of claims) {
      await handIn(machine, claim);
      await delay(20);
    }

    await arrived(team, claims);

    const [wrong] = await team.postgres.run(
      `SELECT count(*)::int AS count FROM events
       WHERE abs(received_at - extract(epoch FROM now()) * 1000) > 120000 OR at > received_at`,
    );
    assert.equal(wrong?.['count'], 0);
  },
);

test(
  'while the database takes no writes, machines keep their events, and hand them in afterwards',
  { skip },
  async () => {
    await using team = await hubHomes();
    for (const hub of team.hubs) await hub.start();
    const machine = await team.machine('ada-laptop', 'ada@example.com');
    const renew =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL';
    await handIn(machine, 'before');
    await until(async () => (await team.lines()).length === 1);

    await team.postgres.run('ALTER DATABASE hookbell SET default_transaction_read_only = on');
    await team.postgres.run(renew);
    await handIn(machine, 'during');
    await until(async () => ((await machine.ask('GET /v1/status')).relay?.waiting ?? 0) === 1);
    await delay(1_000);
    assert.equal((await team.lines()).length, 1);

    await team.postgres.run(
      'BEGIN READ WRITE; ALTER DATABASE hookbell RESET default_transaction_read_only; COMMIT',
    );
    await team.postgres.run(renew);
    await handIn(machine, 'after');
    await arrived(team, ['before', 'during', 'after']);
  },
);

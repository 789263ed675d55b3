import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookbellHome } from '../../support/hookbell-home.ts';
import { type HubHomes, hubHomes } from '../../support/hub-homes.ts';
import { type HubLoad, type LoadOutcome, underLoad } from '../../support/hub-load.ts';
import { enrolMany, linksTo, portsOf } from '../../support/hub-machines.ts';
import { needsPostgres } from '../../support/postgres.ts';

const skip = needsPostgres();
const MACHINES = 4;
const ROUNDS = 3;

function both({ hubs }: HubHomes): readonly [HookbellHome, HookbellHome] {
  const [one, other] = hubs;
  assert.ok(one && other);
  return [one, other];
}

/** Nothing is lost, and what was sent again says so. */
function assertKept({ lost, unmarked }: LoadOutcome): void {
  assert.deepEqual({ lost, unmarked }, { lost: 0, unmarked: 0 });
}

describe('a hub of two processes under load', { skip }, () => {
  test('loses nothing by SIGKILL of each process, of PostgreSQL and of all, in three rounds', async () => {
    await using team = await hubHomes();
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
      events: ROUNDS * 2_000,
      faults: Array.from({ length: ROUNDS }, (_, index) =>
        round.map(([part, fault]) => [(index + part) / ROUNDS, fault] as const),
      ).flat(),
    });

    for (const link of links) link.close();
    assertKept(outcome);
  });
});

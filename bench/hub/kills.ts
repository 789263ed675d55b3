import { setTimeout as delay } from 'node:timers/promises';

import { hubHomes } from '../../test/support/hub-homes.ts';
import { type LoadOutcome, underLoad } from '../../test/support/hub-load.ts';
import { enrolMany, linksTo, portsOf } from '../../test/support/hub-machines.ts';
import type { Figure } from '../support/benchmark.ts';
import { part } from '../support/part.ts';

const EVENTS = part(10_000);
const ROUNDS = 6;
const MACHINES = 8;
const DOWN_MS = 1_000;

/** SIGKILL of a hub, and then of PostgreSQL, while machines send events. */
export async function kills(): Promise<readonly Figure[]> {
  await using team = await hubHomes();
  for (const place of team.hubs) await place.start();
  const tokens = await enrolMany(team, MACHINES);
  // The machines of the hub that is killed wait for it; those of the other go on.
  const links = linksTo(await portsOf(team), tokens);
  const rounds: LoadOutcome[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const victim = team.hubs[round % team.hubs.length];
    const outcome = await underLoad(team, links, {
      name: `round-${round}`,
      events: EVENTS,
      batch: 50,
      faults: [
        [1 / 3, () => victim?.killDaemon()],
        [1 / 3, () => victim?.start()],
        [1 / 2, () => team.postgres.kill()],
        [1 / 2, () => delay(DOWN_MS)],
        [1 / 2, () => team.postgres.start()],
      ],
    });
    rounds.push(outcome);
  }
  for (const link of links) link.close();
  const sum = (of: (round: LoadOutcome) => number): number =>
    rounds.reduce((total, round) => total + of(round), 0);
  const common = { unit: '', better: 'lower' } as const;
  return [
    {
      ...common,
      name: 'hub, lost after SIGKILL',
      value: sum(({ lost }) => lost),
      bound: 0,
      note: `${ROUNDS} rounds of ${EVENTS} events: SIGKILL of a hub, then of PostgreSQL, down for ${DOWN_MS / 1_000} s`,
    },
    {
      ...common,
      name: 'hub, most duplicates in a round',
      value: Math.max(...rounds.map(({ again }) => again)),
      // A batch of the channel, which may be sent and not recorded.
      bound: 256,
      note: rounds.map(({ again }) => again).join(', '),
    },
    {
      ...common,
      name: 'hub, duplicates that are not marked',
      value: sum(({ unmarked }) => unmarked),
      bound: 0,
      note: `of ${sum(({ again }) => again)}`,
    },
  ];
}

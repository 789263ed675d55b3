import { setTimeout as delay } from 'node:timers/promises';

import { until } from './hookbell-home.ts';
import type { HubHomes } from './hub-homes.ts';
import { insist, type MachineLink, requestEvent } from './hub-machines.ts';

/** What became of the events of a load. */
export interface LoadOutcome {
  /** Committed at the hub, and never sent. */
  readonly lost: number;
  /** Sent more than once. */
  readonly again: number;
  /** Sent again without a mark that it may be a duplicate. */
  readonly unmarked: number;
}

export interface HubLoad {
  /** The events are named after it. */
  readonly name: string;
  readonly events: number;
  readonly batch?: number;
  /** What happens meanwhile, one after the other, each when this part of the events is committed. */
  readonly faults: readonly (readonly [part: number, fault: () => Promise<unknown> | void])[];
  /** Runs a statement at the database that the hub uses at the end. */
  readonly run?: (sql: string) => Promise<readonly Record<string, unknown>[]>;
}

const PATIENCE_MS = 240_000;

/** Machines send events while something fails, each batch until it is committed; then waits until nothing is pending. */
export async function underLoad(
  { postgres, lines }: Pick<HubHomes, 'postgres' | 'lines'>,
  links: readonly MachineLink[],
  { name, events, batch: size = 10, faults, run }: HubLoad,
): Promise<LoadOutcome> {
  const ids = Array.from(
    { length: events },
    (_, index) => `${name}-${String(index).padStart(16, '0')}`,
  );
  const left = Array.from({ length: Math.ceil(events / size) }, (_, at) =>
    ids.slice(at * size, (at + 1) * size),
  );
  const ask = run ?? ((sql: string) => postgres.run(sql));
  let committed = 0;
  async function handIn(link: MachineLink): Promise<void> {
    for (let batch = left.shift(); batch !== undefined; batch = left.shift()) {
      await insist(
        link,
        batch.map((id) => requestEvent(id)),
        200,
      );
      committed += batch.length;
    }
  }
  async function fail(): Promise<void> {
    for (const [part, fault] of faults) {
      await until(() => committed >= part * events, PATIENCE_MS);
      await fault();
    }
  }
  await Promise.all([...links.map(handIn), fail()]);
  await until(async () => {
    const [row] = await ask(
      "SELECT count(*)::int AS count FROM deliveries WHERE state = 'pending'",
    ).catch(() => []);
    if (row?.['count'] === 0) return true;
    await delay(100);
    return false;
  }, PATIENCE_MS);

  const marks = new Map<string, boolean[]>(ids.map((id) => [id, []]));
  for (const { sessionId, possibleDuplicate } of await lines()) {
    marks.get(sessionId ?? '')?.push(possibleDuplicate);
  }
  const again = [...marks.values()].flatMap((each) => each.slice(1));
  return {
    lost: [...marks.values()].filter((each) => each.length === 0).length,
    again: again.length,
    unmarked: again.filter((isMarked) => !isMarked).length,
  };
}

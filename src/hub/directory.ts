import type { HubMachine, HubPerson } from '../core/hub/directory.ts';
import type { HubRoll, HubStore } from '../core/hub/hub-store.ts';
import type { PolicyInForce } from '../core/hub/machine-policy.ts';
import type { Log } from '../platform/log.ts';
import { pause, systemTimer } from '../platform/time.ts';

/** Interval for rereading changed people and machines, ms. */
const REFRESH_MS = 1_000;
/** A request of a machine that is not known lets them be read again, at most this often, ms. */
const SOONEST_MS = 200;

export type HubDirectory = ReturnType<typeof createHubDirectory>;

export interface HubDirectoryOptions {
  readonly store: Pick<HubStore, 'roll'>;
  /** Email addresses by the name of the group. */
  readonly groups: () => Readonly<Record<string, readonly string[]>>;
  readonly log: Log;
}

/** The people and machines of a hub, and its policy, as they were within the last second. */
export function createHubDirectory({ store, groups, log }: HubDirectoryOptions) {
  let version: number | null = null;
  let people: ReadonlyMap<string, HubPerson> = new Map();
  let machines: ReadonlyMap<string, HubMachine> = new Map();
  let policy: PolicyInForce | null = null;
  let byPerson: ReadonlyMap<string, readonly HubMachine[]> = new Map();
  let readAt = -Infinity;
  let reading: Promise<void> | null = null;
  let waiting: Promise<void> | null = null;
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isStale = false;

  function take(roll: HubRoll): void {
    version = roll.version;
    policy = roll.policy;
    people = new Map(roll.people.map((person) => [person.email, person]));
    machines = new Map(roll.machines.map((machine) => [machine.name, machine]));
    const grouped = new Map<string, HubMachine[]>();
    for (const machine of roll.machines) {
      const others = grouped.get(machine.person);
      if (others === undefined) grouped.set(machine.person, [machine]);
      else others.push(machine);
    }
    byPerson = grouped;
  }

  async function read(): Promise<void> {
    readAt = performance.now();
    const roll = await store.roll(version);
    if (roll !== null) take(roll);
  }

  /** A read that begins after this call, so that it sees what was committed before. */
  function refresh(): Promise<void> {
    waiting ??= readSoon();
    return waiting;
  }

  async function readSoon(): Promise<void> {
    await reading?.catch(() => {});
    await pause(Math.max(0, readAt + SOONEST_MS - performance.now()), systemTimer, end.signal);
    waiting = null;
    if (end.signal.aborted) return;
    reading = read();
    await reading;
  }

  async function refreshQuietly(): Promise<void> {
    try {
      await refresh();
      isStale = false;
    } catch (error) {
      // The former state stays in use: admission asks the database anyway.
      if (!isStale) log.warn({ err: error }, 'Cannot read the people of the hub: retrying');
      isStale = true;
    }
  }

  return {
    /** @throws StoreError if the database cannot be used */
    async start() {
      await read();
      timer = setInterval(() => void refreshQuietly(), REFRESH_MS);
    },
    /** Something may have changed. */
    wake: () => void refreshQuietly(),
    /** Reads what has changed until now. @throws StoreError */
    refresh,
    /** The person a machine belongs to. */
    personOf: (name: string): HubPerson | null =>
      people.get(machines.get(name)?.person ?? '') ?? null,
    person: (email: string): HubPerson | null => people.get(email) ?? null,
    machine: (name: string): HubMachine | null => machines.get(name) ?? null,
    machinesOf: (email: string): readonly HubMachine[] => byPerson.get(email) ?? [],
    /** The members of a group that are people of this hub, in the order of escalation; null if there is no such group. */
    group(name: string): readonly HubPerson[] | null {
      const members = new Map(Object.entries(groups())).get(name);
      return members?.flatMap((email) => people.get(email) ?? []) ?? null;
    },
    /** The policy for machines; null: none was ever set. */
    policy: (): PolicyInForce | null => policy,
    async stop() {
      clearInterval(timer);
      end.abort();
      await waiting?.catch(() => {});
      await reading?.catch(() => {});
    },
  };
}

import type { EventView } from '../../../src/control/contract.ts';
import type { Claim } from './claim.ts';
import { claimIn, payloadOf } from './claim.ts';
import type { Entry } from './ledger.ts';

/** A message as a channel of ours received it, and did not refuse it. */
export interface Arrival {
  readonly channel: string;
  /** Identifies a message: the id of its event, or of its delivery. */
  readonly id: string;
  readonly claim: string | null;
  /** Whether it said that it may be a repeat; null where this channel cannot say so. */
  readonly isMarked: boolean | null;
}

export type SeenEvent = Pick<EventView, 'eventId' | 'payload' | 'decisions' | 'deliveries'>;

/** What can be seen of a daemon and of its channels. */
export interface Seen {
  readonly events: readonly SeenEvent[];
  /** Ids of deliveries that wait for a time or an occasion which is known. */
  readonly held: ReadonlySet<string>;
  /** In the order in which they came. */
  readonly arrivals: readonly Arrival[];
}

/** Channels of which we know what arrived; every claim must arrive on both unless it is to arrive nowhere. */
const WITNESSES = ['out', 'web'] as const;

/**
 * Compares obligations with outcomes: every event sent is stored once, byte for byte; each message
 * about it has arrived, waits for a reason, or was given up or stopped with one; and nothing comes from nowhere.
 *
 * @returns what is wrong, in words; nothing when all is well
 */
export function judge(entries: ReadonlyMap<string, Entry>, seen: Seen): readonly string[] {
  const byClaim = groupBy(seen.events, ({ payload }) => claimIn(payload) ?? payload);
  const arrived = groupBy(seen.arrivals, ({ claim }) => claim ?? '');
  const strangers = [
    ...[...byClaim.keys()].map((name) => ['the daemon stored', name] as const),
    ...[...arrived].map(([name, [first]]) => [`"${first?.channel}" received`, name] as const),
  ];
  return [
    ...strangers
      .filter(([, name]) => !entries.has(name))
      .map(([where, name]) => `${where} ${JSON.stringify(name)}, which no hook sent`),
    ...[...entries.values()].flatMap(({ claim, isOwed }) =>
      judgeClaim(claim, {
        isOwed,
        events: byClaim.get(claim.name) ?? [],
        arrivals: arrived.get(claim.name) ?? [],
        held: seen.held,
      }).map((fault) => `${claim.name} ${fault}`),
    ),
  ];
}

interface Fate extends Seen {
  readonly isOwed: boolean;
}

function judgeClaim(claim: Claim, { isOwed, events, arrivals, held }: Fate): readonly string[] {
  const [event] = events;
  if (event === undefined) return isOwed ? ['is lost: the daemon did not store it'] : [];
  if (events.length > 1) return [`is stored ${events.length} times`];
  if (event.payload !== payloadOf(claim)) return ['was changed: its payload is another one'];
  if (event.decisions.length === 0) return ['has no recorded decision'];
  return [
    ...missingDeliveries(claim, event),
    ...event.deliveries
      .filter(({ id }) => !held.has(id))
      .flatMap((delivery) => judgeDelivery(delivery, arrivals)),
  ];
}

function missingDeliveries({ wish }: Claim, { deliveries }: SeenEvent): readonly string[] {
  if (wish === 'nobody') return deliveries.length === 0 ? [] : ['was sent although it must not be'];
  const present = new Set(deliveries.map(({ channel }) => channel));
  return WITNESSES.filter((channel) => !present.has(channel)).map(
    (channel) => `was never planned for "${channel}"`,
  );
}

function judgeDelivery(
  { channel, state, reason, dueAt, possibleDuplicate }: SeenEvent['deliveries'][number],
  arrivals: readonly Arrival[],
): readonly string[] {
  switch (state) {
    case 'sent': {
      if (!WITNESSES.some((name) => name === channel)) return [];
      const here = arrivals.filter((arrival) => arrival.channel === channel);
      if (here.length === 0) return [`is called sent on "${channel}", where it never arrived`];
      const isUnmarked = here.slice(1).some(({ isMarked }) => !(isMarked ?? possibleDuplicate));
      return isUnmarked ? [`came again on "${channel}" and was not marked`] : [];
    }
    case 'dead':
    case 'cancelled':
      return reason === null ? [`is ${state} on "${channel}" for no reason`] : [];
    case 'pending':
    case 'retrying':
      return [`still waits on "${channel}", due ${dueAt}`];
  }
}

/** How many messages came again, by channel and id. */
export function countRepeats(arrivals: readonly Arrival[]): number {
  return arrivals.length - new Set(arrivals.map(({ channel, id }) => `${channel} ${id}`)).size;
}

/**
 * Messages of one session that came before an earlier one of it, on a channel; of repeats the first counts.
 *
 * @param numbers of the claims, in the order of the arrivals
 */
export function overtaken(numbers: readonly number[]): readonly number[] {
  const firsts = [...new Set(numbers)];
  let latest = -1;
  return firsts.filter((number) => {
    const isLate = number < latest;
    latest = Math.max(latest, number);
    return isLate;
  });
}

function groupBy<Item>(items: readonly Item[], key: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return groups;
}

import type { EventView } from '../../../src/control/contract.ts';
import { countRepeats, judge, overtaken } from './judge.ts';
import type { Arrival } from './judge.ts';
import type { Entry } from './ledger.ts';
import type { Site } from './site.ts';
import { untilQuiet } from './site.ts';

/** Looks again and again whether everything is as it is owed. */
export interface Oracle {
  /** Waits until all is quiet and judges what is new since the last time; what is wrong, in words. */
  settle(): Promise<readonly string[]>;
  /** Judges the run as a whole. */
  conclude(): Promise<readonly string[]>;
}

const PAGE = 1_000;
const AT_ONCE = 8;

export function createOracle(site: Site): Oracle {
  const settledEvents = new Set<string>();
  const settledClaims = new Set<string>();

  return {
    async settle() {
      await untilQuiet(site);
      const waiting = await site.place.ask('GET /v1/queue', {
        query: { state: 'pending,retrying', limit: '10000' },
      });
      const events = await newEvents(site, settledEvents);
      const all = await site.arrivals();
      const entries = new Map<string, Entry>(
        [...site.ledger.entries].filter(([name]) => !settledClaims.has(name)),
      );
      const held = new Set(waiting.map(({ id }) => id));
      const arrivals = all.filter(({ claim }) => claim === null || !settledClaims.has(claim));
      for (const name of entries.keys()) settledClaims.add(name);
      const late = site.mayOvertake ? [] : outOfOrder(arrivals, entries);
      site.mayOvertake = false;
      return [...judge(entries, { events, arrivals, held }), ...late];
    },
    async conclude() {
      const { ledger } = site;
      const arrivals = await site.arrivals();
      const repeats = countRepeats(arrivals);
      const forgiven = site.forgiven();
      const excess =
        repeats > forgiven ? [`${repeats} messages came again, ${forgiven} may have`] : [];
      return [...ledger.offences, ...excess];
    },
  };
}

/** With their payloads; each is fetched once. */
async function newEvents({ place }: Site, known: Set<string>): Promise<readonly EventView[]> {
  const ids: string[] = [];
  for (let before: string | undefined; ;) {
    const page = await place.ask('GET /v1/history', { query: { limit: String(PAGE), before } });
    const fresh = page.filter(({ eventId }) => !known.has(eventId));
    ids.push(...fresh.map(({ eventId }) => eventId));
    before = page.at(-1)?.eventId;
    if (fresh.length === 0 || page.length < PAGE) break;
  }
  for (const id of ids) known.add(id);
  const events: EventView[] = [];
  const left = [...ids];
  async function fetchSome(): Promise<void> {
    for (let part = left.shift(); part !== undefined; part = left.shift()) {
      events.push(await place.ask('GET /v1/events', { part }));
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, fetchSome));
  return events;
}

/** The file keeps the order of each session; a batch that a webhook took has none. */
function outOfOrder(
  arrivals: readonly Arrival[],
  entries: ReadonlyMap<string, Entry>,
): readonly string[] {
  const bySession = new Map<string, number[]>();
  for (const { channel, claim } of arrivals) {
    const entry = channel === 'out' && claim !== null ? entries.get(claim) : undefined;
    if (entry === undefined) continue;
    const { session, number } = entry.claim;
    const numbers = bySession.get(session);
    if (numbers === undefined) bySession.set(session, [number]);
    else numbers.push(number);
  }
  return [...bySession].flatMap(([session, numbers]) =>
    overtaken(numbers).map((number) => `claim-${session}-${number} was overtaken on "out"`),
  );
}

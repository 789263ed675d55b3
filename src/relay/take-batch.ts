import { withAddition } from '../agents/complete.ts';
import { decodePayload, type Unreadable } from '../agents/decode.ts';
import { type HookEvent, type HookRecord, relayedKey } from '../core/hook-event.ts';
import type { Owner } from '../core/hub/directory.ts';
import type { Log } from '../platform/log.ts';
import { StoreError } from '../core/store-aging.ts';
import type { EventSink, EventStore } from '../core/store.ts';
import type { Clock } from '../platform/time.ts';
import { factsToRelay, RelayedEvent, type Verdicts } from './wire.ts';

export interface TakeOptions extends EventSink {
  readonly store: { readonly events: Pick<EventStore, 'accept'> };
  /** The person whose machine this is, as a hub knows; null: unknown. Absent: there is no hub. */
  readonly ownerOf?: (machine: string) => Owner | null;
  readonly now: Clock;
  readonly log: Log;
}

type Verdict = Verdicts['results'][number];

const unreadable: Readonly<Record<Unreadable, string>> = {
  empty: 'its payload is empty',
  'invalid-json': 'its payload is not JSON',
  'not-object': 'its payload is not a JSON object',
  'no-event': 'its payload does not name its event',
};

/**
 * Commits events that a paired machine relayed, all in one transaction: from here on they are handled like all events.
 * Returns one verdict per event, in their order.
 *
 * @throws StoreError when nothing could be written: the same batch may come again
 */
export async function takeBatch(
  machine: string,
  events: readonly { readonly id: string }[],
  options: TakeOptions,
): Promise<readonly Verdict[]> {
  const read = events.map((event) => ({ id: event.id, ...readEvent(machine, event, options) }));
  const records = read.flatMap(({ record }) => (record === undefined ? [] : [record]));
  const committed = await commit(records, options);
  if ([...committed.values()].some(({ verdict }) => verdict === 'committed')) options.onCommitted();
  return read.map(
    ({ id, refusal = 'it cannot be committed; see the log there' }) =>
      committed.get(id) ?? { id, verdict: 'refused', reason: refusal },
  );
}

interface Reading {
  readonly record?: HookRecord;
  readonly refusal?: string;
}

/**
 * The event as this machine reads it. Its session belongs to the sending machine, whatever the payload claims, and no
 * part of it names a process, a terminal or a file of this one.
 */
function readEvent(
  machine: string,
  sent: unknown,
  { now, prepare, ownerOf = () => null }: TakeOptions,
): Reading {
  const parsed = RelayedEvent.safeParse(sent);
  if (!parsed.success) return { refusal: 'it is malformed' };
  const { id, at, facts, payload: encoded, added, title, held } = parsed.data;
  const payload = Buffer.from(encoded, 'base64');
  const decoded = decodePayload({ payload, facts: factsToRelay(facts) });
  if (!decoded.ok) return { refusal: unreadable[decoded.reason] };
  const receivedAt = now();
  const { sessionKey, duplicate } = decoded.event;
  const owner = ownerOf(machine);
  const event: HookEvent = {
    ...decoded.event,
    id,
    machine,
    ...(owner !== null && { owner }),
    ...(held === true && { facts: { ...decoded.event.facts, held: 'yes' } }),
    // The clock of that machine may be ahead.
    at: Math.min(at, receivedAt),
    receivedAt,
    sessionKey: relayedKey(machine, sessionKey),
    duplicate: { ...duplicate, key: JSON.stringify([machine, duplicate.key]) },
    transcriptPath: null,
    title: decoded.event.title ?? title ?? null,
  };
  return {
    record: prepare({ event: added === undefined ? event : withAddition(event, added), payload }),
  };
}

async function commit(
  records: readonly HookRecord[],
  options: Pick<TakeOptions, 'store' | 'decide' | 'log'>,
): Promise<ReadonlyMap<string, Verdict>> {
  if (records.length === 0) return new Map();
  try {
    const verdicts = await options.store.events.accept(records, options.decide);
    return new Map(
      records.map(({ event: { id, machine } }, index) => {
        const verdict = verdicts[index] ?? 'known';
        // It keeps its events until it may send again, or hears that it may not.
        if (verdict === 'revoked')
          throw new StoreError('io', `The machine "${machine}" was revoked`);
        return [id, { id, verdict }];
      }),
    );
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const [only] = records;
    if (only !== undefined && records.length === 1) {
      options.log.error({ err: error, event: only.event.id }, 'Cannot commit a relayed event');
      return new Map();
    }
  }
  // The store is well, so one of them is poison: halve until it is alone.
  const middle = Math.ceil(records.length / 2);
  const first = await commit(records.slice(0, middle), options);
  const second = await commit(records.slice(middle), options);
  return new Map([...first, ...second]);
}

import { z } from 'zod';

import type { Person, Recipient } from '../core/looked-up.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Log } from '../platform/log.ts';
import { idleTimer, within } from '../platform/time.ts';
import { displayLine } from '../text/sanitize.ts';
import { SERVICE } from '../core/source-event.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import type { HistoryStore } from '../core/history.ts';
import type { FindRecipient } from '../delivery/running-channel.ts';
import type { ApiClient } from './api-client.ts';
import { payloadOf } from './event-payload.ts';

export interface DirectoryRecipientsOptions {
  readonly api: ApiClient;
  readonly history: Pick<HistoryStore, 'event'>;
  readonly now: () => number;
  readonly log: Log;
  /** Maximum wait of a message for the directory, ms. */
  readonly patienceMs?: number;
}

/** Pause after a failure. */
const PAUSE_MS = 60_000;
const TROUBLE: Recipient = { type: 'unknown', reason: 'the directory cannot be read' };

/** In the payload of a source's event about one person: their credits, their change, their computer. */
const concernsSchema = z.object({
  concerns: z.object({ id: z.string().nullable(), email: z.string().nullable() }),
});

/** Finds the person that a delivery is about in the directory of the organization. Never rejects because of the service. */
export function createDirectoryRecipients(
  options: DirectoryRecipientsOptions,
): FindRecipient<Pick<ClaimedDelivery, 'event' | 'also'>> {
  const { api, history, now, log, patienceMs = 8_000 } = options;
  let pausedUntil = 0;

  /** Agents cannot set the recipient: their payloads are untrusted. */
  async function personOf(event: HookEvent): Promise<Person | null> {
    if (event.agent !== SERVICE) return null;
    return concernsSchema.safeParse(await payloadOf(event, history)).data?.concerns ?? null;
  }

  return async ({ event, also }) => {
    const people = await Promise.all([event, ...also].map(personOf));
    const [person = null] = people;
    if (people.every((one) => one === null)) return null;
    if (person === null || people.some((one) => !isSame(one, person))) {
      return { type: 'unknown', reason: 'it covers several events' };
    }
    if (now() < pausedUntil) return TROUBLE;
    const found = find(person, api).catch((error: unknown) => {
      log.warn({ err: error }, 'Cannot read the directory of the organization');
      pausedUntil = now() + PAUSE_MS;
      return TROUBLE;
    });
    // A later result is cached for the next message.
    return (await within(found, patienceMs, idleTimer)) ?? TROUBLE;
  };
}

async function find({ id, email }: Person, api: ApiClient): Promise<Recipient> {
  const { directory } = (await api.get()).organization;
  const user =
    (id === null ? null : await directory.byId(id)) ??
    (email === null ? null : await directory.byEmail(email));
  const address = user?.email ?? email ?? '';
  if (address === '') {
    const who = id === null ? 'who it is' : `"${displayLine(id)}"`;
    return { type: 'unknown', reason: `the directory does not know ${who}` };
  }
  return { type: 'found', address, isOutside: !(await directory.hasDomainOf(address)) };
}

function isSame(one: Person | null, other: Person): boolean {
  return one !== null && one.id === other.id && one.email === other.email;
}

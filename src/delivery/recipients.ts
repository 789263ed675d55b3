import { noPeople, notHere, type People } from '../core/hub/people.ts';
import type { Recipient } from '../core/looked-up.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import type { RunningChannels } from './running-channel.ts';

/** Finds the person whom a delivery is about; null: no particular person. */
export type FindRecipient<Given> = (claimed: Given) => Promise<Recipient | null>;

/**
 * Finds the person to write to: the recipient of a delivery to a personal channel, unless that person was removed since
 * the decision, else the person it is about, for channels that ask for one.
 */
export function createRecipients({
  channels,
  people = noPeople,
  loadDirectory,
}: {
  readonly channels: () => RunningChannels;
  readonly people?: People | undefined;
  /** Called when a channel first asks for a recipient. */
  readonly loadDirectory: () => Promise<FindRecipient<Pick<ClaimedDelivery, 'event' | 'also'>>>;
}): FindRecipient<Pick<ClaimedDelivery, 'delivery' | 'event' | 'also'>> {
  let made: ReturnType<typeof loadDirectory> | null = null;

  return async (claimed) => {
    const { channel: name, recipient } = claimed.delivery;
    const { isPersonal, channel } = channels().get(name) ?? {};
    if (isPersonal === true) {
      if (recipient === null) return { type: 'unknown', reason: 'no person is known' };
      return people.wishesOf(recipient) === null
        ? { type: 'unknown', reason: notHere(recipient) }
        : { type: 'found', address: recipient, isOutside: false };
    }
    if (channel?.needsRecipient !== true) return null;
    return (await (made ??= loadDirectory()))(claimed);
  };
}

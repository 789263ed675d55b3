import { didYouMean } from '../text/suggest.ts';
import type { Ability } from '../core/ability.ts';
import type { Channel, ChannelDefinition } from '../core/channel.ts';
import { NotFoundError } from '../platform/errors.ts';
import { noPeople, notHere, type People } from '../core/hub/people.ts';
import type { Recipient } from '../core/looked-up.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';

/** Finds the person whom a delivery is about; null: no particular person. */
export type FindRecipient<Given> = (claimed: Given) => Promise<Recipient | null>;

/** Finds the recipient of a delivery to a personal channel, unless removed since, else the person it is about where asked for. */
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

export interface RunningChannel extends Pick<
  ChannelDefinition,
  'type' | 'limits' | 'audience' | 'reach' | 'can'
> {
  readonly name: string;
  readonly channel: Channel;
  /** Whether it writes to one person, the recipient of each delivery; absent: it does not. */
  readonly isPersonal?: boolean;
  /** Why it could not be set up; null if it was. Its deliveries wait for a repaired configuration. */
  readonly problem: string | null;
}

export type RunningChannels = ReadonlyMap<string, RunningChannel>;

/** Whether a channel has an ability at present. */
export function hasAbility(
  { can, channel }: Pick<RunningChannel, 'can' | 'channel'>,
  ability: Ability,
): boolean {
  return can[ability] !== undefined && channel.lacks?.includes(ability) !== true;
}

/** @throws NotFoundError if no channel has this name */
export function channelNamed(channels: RunningChannels, name: string): RunningChannel {
  const channel = channels.get(name);
  if (channel !== undefined) return channel;
  const names = [...channels.keys()];
  throw new NotFoundError(`Unknown channel "${name}"${didYouMean(name, names)}`, {
    hint: `Configured channels: ${names.join(', ')}`,
  });
}

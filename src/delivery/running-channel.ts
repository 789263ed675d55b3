import { didYouMean } from '../text/suggest.ts';
import type { Ability, DeclaredAbilities } from '../core/ability.ts';
import type { Channel, ChannelDefinition, ChannelLimits } from '../core/channel.ts';
import { NotFoundError } from '../platform/errors.ts';

export interface RunningChannel {
  readonly name: string;
  readonly type: string;
  readonly channel: Channel;
  readonly limits: ChannelLimits;
  readonly audience: ChannelDefinition['audience'];
  readonly reach: ChannelDefinition['reach'];
  /** Whether it writes to one person, the recipient of each delivery; absent: it does not. */
  readonly isPersonal?: boolean;
  /** The abilities of its type: see `hasAbility`. */
  readonly can: DeclaredAbilities;
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

import type { ConfiguredChannel } from '../config/channel-schema.ts';
import { didYouMean } from '../config/suggest.ts';
import type {
  Channel,
  ChannelDefinition,
  ChannelDependencies,
  ChannelLimits,
} from '../core/channel.ts';
import { HookbellError, NotFoundError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { failed } from '../core/outcome.ts';

export interface RunningChannel {
  readonly name: string;
  readonly type: string;
  readonly channel: Channel;
  readonly limits: ChannelLimits;
  readonly audience: ChannelDefinition['audience'];
  readonly showsReplyLink: boolean;
  /** Why it could not be set up; null when it could. Its deliveries then wait for a repaired configuration. */
  readonly problem: string | null;
}

export type RunningChannels = ReadonlyMap<string, RunningChannel>;

/** Sets up every configured channel; one that cannot be set up does not keep the others from working. */
export async function startChannels(
  configured: readonly ConfiguredChannel[],
  dependenciesOf: (name: string) => ChannelDependencies,
  log: Log,
): Promise<RunningChannels> {
  const running = await Promise.all(
    configured.map(async (entry): Promise<RunningChannel> => {
      const { name, type, limits, definition } = entry;
      const { audience, showsReplyLink = false } = definition;
      const known = { name, type, limits, audience, showsReplyLink };
      try {
        const channel = await definition.create(entry.options, dependenciesOf(name));
        return { ...known, channel, problem: null };
      } catch (error) {
        const problem = describe(error);
        log.error({ channel: name, problem, err: error }, 'Cannot set up a channel');
        return { ...known, channel: waitingChannel(problem, hintOf(error)), problem };
      }
    }),
  );
  return new Map(running.map((channel) => [channel.name, channel]));
}

/** @throws NotFoundError where none is configured under this name */
export function channelNamed(channels: RunningChannels, name: string): RunningChannel {
  const channel = channels.get(name);
  if (channel !== undefined) return channel;
  const names = [...channels.keys()];
  throw new NotFoundError(`No channel has the name "${name}"${didYouMean(name, names)}`, {
    hint: `Configured are: ${names.join(', ')}`,
  });
}

export async function stopChannels(channels: RunningChannels, log: Log): Promise<void> {
  await Promise.all(
    [...channels.values()].map(async ({ name, channel }) => {
      try {
        await channel.close();
      } catch (error) {
        log.warn({ channel: name, err: error }, 'Cannot close a channel');
      }
    }),
  );
}

/** Only errors meant for people are told in full: any other text may hold what the channel was given. */
function describe(error: unknown): string {
  if (error instanceof HookbellError) return error.message;
  return `It failed to start (${error instanceof Error ? error.name : 'unknown error'}): see the log`;
}

/** What to do about it; the daemon takes a changed file by itself. */
function hintOf(error: unknown): string {
  const hint = error instanceof HookbellError ? error.hint : null;
  return hint ?? 'Correct the channel in the configuration: the daemon takes the file by itself';
}

/** Stands in for a channel that cannot be set up: nothing is lost, everything waits. */
function waitingChannel(problem: string, hint: string): Channel {
  return {
    abilities: { replace: false, withdraw: false, update: false },
    send: () => Promise.resolve(failed(problem, { channelBroken: true })),
    check: () => Promise.resolve({ ok: false, summary: problem, hint }),
    close: () => Promise.resolve(),
  };
}

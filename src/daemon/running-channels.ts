import { dirname, join } from 'node:path';

import type { ChannelConfig } from '../config/channel-schema.ts';
import type { ReadSecret } from '../config/secrets.ts';
import type { Channel, ChannelDependencies, Reaction } from '../core/channel.ts';
import { HookbellError } from '../platform/errors.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Log } from '../platform/log.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { failed } from '../core/outcome.ts';
import type { Paths } from '../core/paths.ts';
import type { RunningChannel, RunningChannels } from '../delivery/running-channel.ts';
import type { Clock } from '../platform/time.ts';
import { type Lock, takeLock } from './lock.ts';

/** Sets up every configured channel; one that fails does not keep the others from working. */
export async function startChannels(
  configured: readonly ChannelConfig[],
  dependenciesOf: (name: string) => ChannelDependencies,
  log: Log,
): Promise<RunningChannels> {
  const running = await Promise.all(
    configured.map(async (entry): Promise<RunningChannel> => {
      const { name, type, limits, definition } = entry;
      const { audience, reach, can } = definition;
      const isPersonal = definition.isPersonal?.(entry.options) === true;
      const known = { name, type, limits, audience, reach, can, isPersonal };
      try {
        const channel = await definition.create(entry.options, dependenciesOf(name));
        return { ...known, channel, problem: null };
      } catch (error) {
        const problem = describe(error);
        log.error({ channel: name, problem, err: error }, 'Cannot set up a channel');
        return { ...known, can: {}, channel: waitingChannel(problem, hintOf(error)), problem };
      }
    }),
  );
  return new Map(running.map((channel) => [channel.name, channel]));
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

/** Only errors meant for people are quoted in full: any other text may hold secrets of the channel. */
function describe(error: unknown): string {
  if (error instanceof HookbellError) return error.message;
  return `Cannot start the channel (${error instanceof Error ? error.name : 'unknown error'}); see "hookbell logs"`;
}

/** How to fix it; the daemon reloads a changed file automatically. */
function hintOf(error: unknown): string {
  const hint = error instanceof HookbellError ? error.hint : null;
  return (
    hint ?? 'Correct the channel in the configuration file; the daemon reloads it automatically'
  );
}

/** Replaces a channel that cannot be set up: its deliveries wait, and none is lost. */
function waitingChannel(problem: string, hint: string): Channel {
  return {
    send: () => Promise.resolve(failed(problem, { channelBroken: true })),
    check: () => Promise.resolve({ ok: false, summary: problem, hint }),
    close: () => Promise.resolve(),
  };
}

/** The parts of this machine that each channel gets. */
export function channelDependencies(
  name: string,
  {
    paths,
    env,
    outbound,
    now,
    onReaction,
    onWorksAgain,
    readSecret,
    files,
    isScreenLocked,
  }: Pick<ChannelDependencies, 'isScreenLocked'> & {
    readonly paths: Paths;
    readonly env: Environment;
    readonly outbound: Outbound;
    readonly now: Clock;
    readonly readSecret: ReadSecret;
    readonly files: FarFiles;
    readonly onReaction: (channel: string, reaction: Reaction) => void;
    readonly onWorksAgain: (channel: string) => void;
  },
): ChannelDependencies {
  return {
    name,
    env,
    platform: process.platform,
    now,
    baseDir: dirname(paths.config),
    stateDir: paths.state,
    outbound,
    resolveSecret: readSecret,
    files,
    onReaction: (reaction) => onReaction(name, reaction),
    onWorksAgain: () => onWorksAgain(name),
    isScreenLocked,
    // All daemons of a user share the directory of the log-in.
    takeVoice: () =>
      voiceIn(env['XDG_RUNTIME_DIR'] ?? paths.runtime).catch(() => voiceIn(paths.runtime)),
  };
}

function voiceIn(directory: string): Promise<Lock | null> {
  return takeLock(join(directory, 'hookbell-voice'));
}

import { dirname } from 'node:path';

import type { ReadSecret } from '../config/read-secret.ts';
import type { ChannelDependencies, Reaction } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { Environment } from '../core/launch-environment.ts';
import type { Outbound } from '../core/outbound.ts';
import type { Paths } from '../core/paths.ts';

export type { Environment } from '../core/launch-environment.ts';

/** What each channel is given of this machine. */
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
  }: {
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
  };
}

import { dirname } from 'node:path';

import type { ReadSecret } from '../config/read-secret.ts';
import type { ChannelDependencies, Reaction } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { FarFiles } from '../core/far-files.ts';
import type { Outbound } from '../core/outbound.ts';
import type { Paths } from '../core/paths.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What each channel is given of this machine. */
export function channelDependencies(
  name: string,
  {
    paths,
    env,
    outbound,
    now,
    onReaction,
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
  };
}

/** A daemon that a hook starts must find the same files and desktop, whatever the environment of the agent says. */
const placeVariables = [
  'HOOKBELL_CONFIG',
  'HOOKBELL_STATE_DIR',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
];

/** What of an environment says where things are. */
export function placesIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    placeVariables.flatMap((name): [string, string][] => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

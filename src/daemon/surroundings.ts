import { dirname } from 'node:path';

import { findProgram } from '../channels/support/find-program.ts';
import { resolveSecret } from '../config/secrets.ts';
import type { ChannelDependencies } from '../core/channel.ts';
import type { Clock } from '../core/clock.ts';
import type { Paths } from '../core/paths.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What each channel is given of this machine. */
export function channelDependencies(
  name: string,
  { paths, env, now }: { readonly paths: Paths; readonly env: Environment; readonly now: Clock },
): ChannelDependencies {
  const baseDir = dirname(paths.config);
  const { platform } = process;
  return {
    name,
    env,
    platform,
    now,
    baseDir,
    stateDir: paths.state,
    async resolveSecret(reference) {
      // Only a secret that a program keeps needs execa, and few have one.
      const { runProgram } = await import('../channels/support/run-program.ts');
      return resolveSecret(reference, { env, baseDir, platform, findProgram, runProgram });
    },
  };
}

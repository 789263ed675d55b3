import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { ChannelDependencies } from '../../core/channel.ts';

/** The absolute path behind an option: "~/" is the home directory, a relative path starts at the configuration file. */
export function resolvePath(
  path: string,
  { baseDir, env }: Pick<ChannelDependencies, 'baseDir' | 'env'>,
): string {
  if (path === '~' || path.startsWith('~/')) {
    return join(env['HOME'] ?? homedir(), path.slice(1));
  }
  return resolve(baseDir, path);
}

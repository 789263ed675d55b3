import { dirname } from 'node:path';
import { findProgram } from '../platform/find-program.ts';
import type { SecretReference } from '../core/channel.ts';
import type { FarFiles } from '../core/far-files.ts';
import { resolveSecret } from './secrets.ts';

/** @throws ConfigError if the secret cannot be read, HungPathError if its file system does not respond */
export type ReadSecret = (reference: SecretReference) => Promise<string>;

/**
 * Returns a reader of secrets on this machine.
 *
 * @param configPath of the configuration, at which relative paths start
 * @param files reads the secrets' files; if omitted, this process reads them
 */
export function secretReader(
  configPath: string,
  env: Readonly<Record<string, string | undefined>>,
  files?: FarFiles,
): ReadSecret {
  const baseDir = dirname(configPath);
  const { platform } = process;
  return async (reference) => {
    // Imported here, because execa is needed only for secrets that a program prints, which are rare.
    const { runProgram } = await import('../platform/run-program.ts');
    return resolveSecret(reference, {
      env,
      baseDir,
      platform,
      findProgram,
      runProgram,
      ...(files !== undefined && { readFile: (path) => files.run('secret', { path, platform }) }),
    });
  };
}

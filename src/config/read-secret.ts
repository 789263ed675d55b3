import { dirname } from 'node:path';
import { findProgram } from '../platform/find-program.ts';
import type { SecretReference } from '../core/channel.ts';
import type { FarFiles } from '../core/far-files.ts';
import { resolveSecret } from './secrets.ts';

/** @throws ConfigError when there is none, HungPathError when its file system does not answer */
export type ReadSecret = (reference: SecretReference) => Promise<string>;

/**
 * Makes what reads secrets on this machine.
 *
 * @param configPath of the file that names them: relative paths start beside it
 * @param files by which their files are read; left out, they are read right here
 */
export function secretReader(
  configPath: string,
  env: Readonly<Record<string, string | undefined>>,
  files?: FarFiles,
): ReadSecret {
  const baseDir = dirname(configPath);
  const { platform } = process;
  return async (reference) => {
    // Only a secret that a program keeps needs execa, and few have one.
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

import { dirname } from 'node:path';
import { findProgram } from '../channels/support/find-program.ts';
import type { SecretReference } from '../core/channel.ts';
import { resolveSecret } from './secrets.ts';

/**
 * Makes what reads secrets on this machine.
 *
 * @param configPath of the file that names them: relative paths start beside it
 */
export function secretReader(
  configPath: string,
  env: Readonly<Record<string, string | undefined>>,
): (reference: SecretReference) => Promise<string> {
  const baseDir = dirname(configPath);
  const { platform } = process;
  return async (reference) => {
    // Only a secret that a program keeps needs execa, and few have one.
    const { runProgram } = await import('../channels/support/run-program.ts');
    return resolveSecret(reference, { env, baseDir, platform, findProgram, runProgram });
  };
}

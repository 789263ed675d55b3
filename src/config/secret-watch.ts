import type { FarFiles } from '../core/far-files.ts';
import type { Environment } from '../core/launch-environment.ts';
import { HookbellError } from '../platform/errors.ts';
import type { Config } from './config.ts';
import { hasSecretCommands, secretFilesOf } from './secret-places.ts';

/** The stamp of a file, null if it does not exist; `before` if its file system does not respond. */
export function stampOf<Stamp>(
  files: FarFiles,
  path: string,
  before: Stamp,
): Promise<string | null | Stamp> {
  return files
    .run('stamp', { path })
    .catch((error: unknown) => (error instanceof HookbellError ? before : null));
}

interface SecretWatch {
  /** Stamps files that are new in the configuration, before their content is read, so that no change after it is missed. */
  stampNew(): Promise<void>;
  /** Reports if the content, owner or mode of a secret's file changed. */
  checkFiles(): Promise<void>;
  /** Reports if the configuration has secret commands, which may print another secret. */
  runCommandsAgain(): Promise<void>;
}

/** Watches the secrets of the configuration in force. Files are not read: a rotated one has another time, size or inode. */
export function createSecretWatch(options: {
  readonly files: FarFiles;
  /** For the home directory. */
  readonly env: Environment;
  readonly config: () => Config;
  /** Called with the reason, for the log. */
  readonly onChange: (reason: string) => Promise<void>;
}): SecretWatch {
  const { files, env, config, onChange } = options;
  /** By path. */
  const stamps = new Map<string, string | null | undefined>();
  return {
    async stampNew() {
      for (const file of secretFilesOf(config(), env)) {
        if (!stamps.has(file)) stamps.set(file, await stampOf(files, file, undefined));
      }
    },
    async checkFiles() {
      let hasChanged = false;
      for (const file of secretFilesOf(config(), env)) {
        const former = stamps.get(file);
        const stamp = await stampOf(files, file, former);
        stamps.set(file, stamp);
        hasChanged ||= former !== undefined && former !== stamp;
      }
      if (hasChanged) await onChange('a secret file changed');
    },
    async runCommandsAgain() {
      if (hasSecretCommands(config())) await onChange('a command may print another secret');
    },
  };
}

import { statSync } from 'node:fs';
import { dirname } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import type { EnvironmentFacts } from '../core/launch-environment.ts';
import { makeDirectory, type Manifest, readManifest, writeManifest } from './manifest.ts';

/** Checks the file system of this machine. On Windows, which has no such owners, every existing file is trusted. */
export const environmentFacts: EnvironmentFacts = {
  isOwnSocket(path) {
    const found = lookAt(path);
    return found?.isSocket() === true && found.uid === process.geteuid?.();
  },
  isTrusted(path) {
    const found = lookAt(path);
    const uid = process.geteuid?.();
    if (found === null) return false;
    if (uid === undefined) return true;
    return (found.uid === uid || found.uid === 0) && (found.mode & 0o002) === 0;
  },
};

function lookAt(path: string) {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** Writes the manifest after each change, so that an interrupted installation can still be undone. */
export interface Recorder {
  readonly dryRun: boolean;
  manifest(): Manifest;
  record(next: Manifest): Promise<void>;
  recordFile(path: string, content: string | Uint8Array): Promise<void>;
  recordSecret(path: string): Promise<void>;
  makeDirectory(path: string, mode?: number): Promise<void>;
}

export async function createInstallRecorder(path: string, dryRun: boolean): Promise<Recorder> {
  let manifest = await readManifest(path);
  const save = async (next: Manifest): Promise<void> => {
    manifest = next;
    if (dryRun) return;
    const made = await makeDirectory(dirname(path), 0o700);
    manifest = { ...manifest, directories: [...made, ...manifest.directories] };
    await writeManifest(path, manifest);
  };
  return {
    dryRun,
    manifest: () => manifest,
    record: save,
    recordFile: (file, content) =>
      save({
        ...manifest,
        files: [
          ...manifest.files.filter((other) => other.path !== file),
          { path: file, hash: sha256(content) },
        ],
      }),
    recordSecret: (file) =>
      save({ ...manifest, secrets: [...new Set([...manifest.secrets, file])] }),
    async makeDirectory(directory, mode) {
      if (dryRun) return;
      const made = await makeDirectory(directory, mode);
      if (made.length > 0) {
        await save({ ...manifest, directories: [...manifest.directories, ...made] });
      }
    },
  };
}

import { statSync } from 'node:fs';

import type { EnvironmentFacts } from '../core/launch-environment.ts';

/** Looks at the file system of this machine. On Windows, which has no such owners, every file that is there is trusted. */
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

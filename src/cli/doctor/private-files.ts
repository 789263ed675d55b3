import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const privateFilesGuide = {
  name: 'private files',
  about:
    'Whether the database, the log, the token, the list of trusted projects and the copy of the configuration are private',
  troubles: {
    other: {
      state: 'problem',
      meaning: 'It is not a regular file',
      remedy: 'Move it away: {path}',
    },
    foreign: {
      state: 'problem',
      meaning: 'It belongs to another user, who can change it',
      remedy: 'Move it away: {path}',
    },
    open: {
      state: 'problem',
      meaning: 'Other users could read it if its directory were ever open',
      remedy: 'Run: chmod 600 "{path}"',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = privateFilesGuide;

/** Checks files with events or credentials: each must be closed to others, in case its directory is ever open. */
export async function checkPrivateFiles({
  lookAt,
  paths,
  uid,
}: Pick<DoctorPorts, 'lookAt' | 'paths' | 'uid'>): Promise<Check> {
  if (uid === null) return skipped(name, 'this system has no file permissions to check');
  const files = [paths.database, paths.log, paths.token, paths.trustedProjects, paths.lastConfig];
  for (const path of files) {
    const file = await lookAt(path);
    if (file === null) continue;
    if (file.type !== 'file') {
      return found(name, troubles.other, `${path} is not a regular file`, { path });
    }
    if (file.uid !== uid) {
      const summary = `${path} belongs to user ${file.uid}, expected ${uid}`;
      return found(name, troubles.foreign, summary, { path });
    }
    if ((file.mode & 0o077) !== 0) {
      const mode = file.mode.toString(8).padStart(4, '0');
      const summary = `${path} is open to others (mode ${mode}, expected 0600)`;
      return found(name, troubles.open, summary, { path });
    }
  }
  return ok(name, 'database, log and token are private');
}

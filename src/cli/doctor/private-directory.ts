import type { Check, CheckGuide } from './check.ts';
import { found, ok, skipped } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const troubles = {
  missing: {
    state: 'warning',
    meaning: 'The daemon has not run here yet',
    remedy: 'Run "hookbell start" to create it',
  },
  other: {
    state: 'problem',
    meaning: 'A link or a file is in its place, which another user may control',
    remedy: 'Move it away: {path}',
  },
  foreign: {
    state: 'problem',
    meaning: 'Another user could read your events there, or add false ones',
    remedy: 'Move it away, or set HOOKBELL_STATE_DIR to a directory that belongs to you',
  },
  open: {
    state: 'problem',
    meaning: 'Other users could read your events there, or add false ones',
    remedy: 'Run: chmod 700 "{path}"',
  },
} as const satisfies CheckGuide['troubles'];

export const stateDirectoryGuide = {
  name: 'state directory',
  about: 'Whether the directory of the database, the log and the token belongs to you alone',
  troubles,
} as const satisfies CheckGuide;

export const spoolDirectoryGuide = {
  name: 'spool directory',
  about: 'Whether the directory into which hooks put their events belongs to you alone',
  troubles,
} as const satisfies CheckGuide;

/** Checks that a directory belongs only to us: other users could read events there, or add false ones. */
export async function checkPrivateDirectory(
  name: string,
  path: string,
  { lookAt, uid }: Pick<DoctorPorts, 'lookAt' | 'uid'>,
): Promise<Check> {
  const directory = await lookAt(path);
  if (directory === null) {
    return found(name, troubles.missing, `${path} does not exist yet`);
  }
  if (directory.type !== 'directory') {
    const what = directory.type === 'link' ? 'a symbolic link' : 'not a directory';
    const summary = `${path} is ${what}: hookbell does not use it`;
    return found(name, troubles.other, summary, { path });
  }
  if (uid === null) return skipped(name, `${path}: this system has no file permissions to check`);
  if (directory.uid !== uid) {
    const summary = `${path} belongs to user ${directory.uid}, expected ${uid}`;
    return found(name, troubles.foreign, summary);
  }
  if ((directory.mode & 0o077) !== 0) {
    const mode = directory.mode.toString(8).padStart(4, '0');
    const summary = `${path} is open to others (mode ${mode}, expected 0700)`;
    return found(name, troubles.open, summary, { path });
  }
  return ok(name, path);
}

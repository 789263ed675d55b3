import type { Paths } from '../../core/paths.ts';
import { programFile } from '../../platform/program-files.ts';
import type { OwnedKind } from '../../platform/ownership.ts';
import { type Check, type CheckGuide, found, ok, skipped } from './check.ts';
import type { DoctorPorts, WhyForeign } from './ports.ts';

export const diskGuide = {
  name: 'disk',
  about: 'Whether files can be written to the state directory and the spool',
  troubles: {
    refuses: {
      state: 'problem',
      meaning: 'New events are lost while the disk accepts no files: the hook must not report it',
      remedy: 'Free space, or make the file system writable again; no restart is needed',
    },
  },
} as const satisfies CheckGuide;

/** Tries to write where hooks and daemon write. */
export async function checkDisk({
  writeTrouble,
  paths,
}: Pick<DoctorPorts, 'writeTrouble' | 'paths'>): Promise<Check> {
  for (const directory of [paths.state, paths.spool]) {
    const trouble = writeTrouble(directory);
    if (trouble !== null) {
      return found(
        diskGuide.name,
        diskGuide.troubles.refuses,
        `the disk of ${directory} accepts no files: ${trouble}`,
      );
    }
  }
  return ok(diskGuide.name, 'writable');
}

export const ownershipGuide = {
  name: 'ownership',
  about:
    'Whether only you (or root) can write to the program, the hook, the launch script, the configuration, and every directory above them',
  troubles: {
    foreign: {
      state: 'problem',
      meaning: 'Another user could run programs as you by changing or replacing it',
      remedy: 'Remove write permission with "chmod go-w", or take ownership: {path}',
    },
  },
} as const satisfies CheckGuide;

/** Files that run as the user at every event, or decide what runs. */
function sensitiveFiles(paths: Paths): readonly (readonly [string, OwnedKind])[] {
  return [
    [paths.program, 'directory'],
    [programFile('shellHook', paths.program), 'file'],
    [programFile('daemon', paths.program), 'file'],
    [programFile('commandLine', paths.program), 'file'],
    [programFile('command', paths.program), 'file'],
    [paths.command, 'file'],
    [paths.launch, 'file'],
    [paths.config, 'file'],
  ];
}

/** Returns each of them that another user could change, with the reason. Missing files are not reported. */
export async function foreignFiles(
  paths: Paths,
  whyForeign: WhyForeign,
): Promise<readonly { readonly path: string; readonly reason: string }[]> {
  const reasons = await Promise.all(
    sensitiveFiles(paths).map(async ([path, kind]) => ({
      path,
      reason: await whyForeign(path, kind),
    })),
  );
  return reasons.flatMap(({ path, reason }) => (reason === null ? [] : [{ path, reason }]));
}

export async function checkOwnership({
  paths,
  uid,
  whyForeign,
}: Pick<DoctorPorts, 'paths' | 'uid' | 'whyForeign'>): Promise<Check> {
  if (uid === null)
    return skipped(ownershipGuide.name, 'this system has no file permissions to check');
  const [first, ...others] = await foreignFiles(paths, whyForeign);
  if (first === undefined)
    return ok(ownershipGuide.name, 'only you can change program, hook and configuration');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const summary = `${first.path} is not yours alone: ${first.reason}${more}`;
  return found(ownershipGuide.name, ownershipGuide.troubles.foreign, summary, { path: first.path });
}

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
  about: 'Whether only you have access to the directory of the database, the log and the token',
  troubles,
} as const satisfies CheckGuide;

export const spoolDirectoryGuide = {
  name: 'spool directory',
  about: 'Whether only you have access to the directory into which hooks write events',
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

/** Checks files with events or credentials: each must be closed to others, in case its directory is ever open. */
export async function checkPrivateFiles({
  lookAt,
  paths,
  uid,
}: Pick<DoctorPorts, 'lookAt' | 'paths' | 'uid'>): Promise<Check> {
  if (uid === null)
    return skipped(privateFilesGuide.name, 'this system has no file permissions to check');
  const files = [paths.database, paths.log, paths.token, paths.trustedProjects, paths.lastConfig];
  for (const path of files) {
    const file = await lookAt(path);
    if (file === null) continue;
    if (file.type !== 'file') {
      return found(
        privateFilesGuide.name,
        privateFilesGuide.troubles.other,
        `${path} is not a regular file`,
        { path },
      );
    }
    if (file.uid !== uid) {
      const summary = `${path} belongs to user ${file.uid}, expected ${uid}`;
      return found(privateFilesGuide.name, privateFilesGuide.troubles.foreign, summary, { path });
    }
    if ((file.mode & 0o077) !== 0) {
      const mode = file.mode.toString(8).padStart(4, '0');
      const summary = `${path} is open to others (mode ${mode}, expected 0600)`;
      return found(privateFilesGuide.name, privateFilesGuide.troubles.open, summary, { path });
    }
  }
  return ok(privateFilesGuide.name, 'database, log and token are private');
}

import { join, relative } from 'node:path';

import type { Paths } from '../../core/paths.ts';
import { programFile } from '../../platform/program-files.ts';
import type { OwnedKind } from '../../platform/ownership.ts';
import { type Check, defineGuide, type Guided } from './check.ts';
import type { DoctorPorts, FileFacts, WhyForeign } from './ports.ts';

export const diskGuide = defineGuide('disk', {
  refuses: {
    state: 'problem',
    remedy: 'Free space, or make the file system writable again; no restart is needed',
  },
});

/** Tries to write where hooks and daemon write. */
export async function checkDisk({ writeTrouble, paths }: DoctorPorts): Promise<Check> {
  for (const directory of [paths.state, paths.spool]) {
    const trouble = writeTrouble(directory);
    if (trouble !== null) {
      return diskGuide.found('refuses', `the disk of ${directory} accepts no files: ${trouble}`);
    }
  }
  return diskGuide.ok('writable');
}

export const ownershipGuide = defineGuide('ownership', {
  foreign: {
    state: 'problem',
    remedy: 'Remove write permission with "chmod go-w", or take ownership: {path}',
  },
});

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

export async function checkOwnership({ paths, uid, whyForeign }: DoctorPorts): Promise<Check> {
  if (uid === null) return ownershipGuide.skipped('this system has no file permissions to check');
  const [first, ...others] = await foreignFiles(paths, whyForeign);
  if (first === undefined)
    return ownershipGuide.ok('only you can change program, hook and configuration');
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  const summary = `${first.path} is not yours alone: ${first.reason}${more}`;
  return ownershipGuide.found('foreign', summary, { path: first.path });
}

export const stateDirectoryGuide = defineGuide('state directory', {
  missing: { state: 'warning', remedy: 'Run "hookbell start" to create it' },
  other: { state: 'problem', remedy: 'Move it away: {path}' },
  foreign: {
    state: 'problem',
    remedy: 'Move it away, or set HOOKBELL_STATE_DIR to a directory that belongs to you',
  },
  open: { state: 'problem', remedy: 'Run: chmod 700 "{path}"' },
});

export const spoolDirectoryGuide = defineGuide('spool directory', stateDirectoryGuide.troubles);

/** Checks that a directory belongs only to us: other users could read events there, or add false ones. */
export async function checkPrivateDirectory(
  name: string,
  path: string,
  { lookAt, uid }: DoctorPorts,
): Promise<Check> {
  const directory = await lookAt(path);
  const guide = stateDirectoryGuide.named(name);
  if (directory === null) return guide.found('missing', `${path} does not exist yet`);
  if (directory.type !== 'directory') {
    const what = directory.type === 'link' ? 'a symbolic link' : 'not a directory';
    return guide.found('other', `${path} is ${what}: hookbell does not use it`, { path });
  }
  if (uid === null) return guide.skipped(`${path}: this system has no file permissions to check`);
  return exposure(guide, path, directory, uid) ?? guide.ok(path);
}

export const privateFilesGuide = defineGuide('private files', {
  other: { state: 'problem', remedy: 'Move it away: {path}' },
  foreign: { state: 'problem', remedy: 'Move it away: {path}' },
  open: { state: 'problem', remedy: 'Run: chmod 600 "{path}"' },
  outside: { state: 'warning', remedy: 'Move it below your profile, or close it to others there' },
});

/** Checks files with events or credentials: each must be closed to others, in case its directory is ever open. */
export async function checkPrivateFiles({ lookAt, paths, uid }: DoctorPorts): Promise<Check> {
  if (uid === null) {
    const place = relative(join(paths.command, '../../..'), paths.state);
    const summary = `${paths.state} is outside of your profile: Windows may let others read it`;
    if (/^(?:\.\.|[a-z]:|\\)/i.test(place)) return privateFilesGuide.found('outside', summary);
    return privateFilesGuide.skipped('this system has no file permissions to check');
  }
  const files = [paths.database, paths.log, paths.token, paths.trustedProjects, paths.lastConfig];
  for (const path of files) {
    const file = await lookAt(path);
    if (file === null) continue;
    if (file.type !== 'file') {
      return privateFilesGuide.found('other', `${path} is not a regular file`, { path });
    }
    const exposed = exposure(privateFilesGuide, path, file, uid);
    if (exposed !== null) return exposed;
  }
  return privateFilesGuide.ok('database, log and token are private');
}

/** Null: only this user has access. */
function exposure(
  guide: Pick<Guided<'foreign' | 'open'>, 'found'>,
  path: string,
  { type, uid, mode }: FileFacts,
  own: number,
): Check | null {
  if (uid !== own) {
    return guide.found('foreign', `${path} belongs to user ${uid}, expected ${own}`, { path });
  }
  if ((mode & 0o077) === 0) return null;
  const wanted = type === 'directory' ? '0700' : '0600';
  const summary = `${path} is open to others (mode ${mode.toString(8).padStart(4, '0')}, expected ${wanted})`;
  return guide.found('open', summary, { path });
}

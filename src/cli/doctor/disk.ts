import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

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
const { name, troubles } = diskGuide;

/** Tries to write where hooks and daemon write. */
export async function checkDisk({
  writeTrouble,
  paths,
}: Pick<DoctorPorts, 'writeTrouble' | 'paths'>): Promise<Check> {
  for (const directory of [paths.state, paths.spool]) {
    const trouble = await writeTrouble(directory);
    if (trouble !== null) {
      return found(name, troubles.refuses, `the disk of ${directory} accepts no files: ${trouble}`);
    }
  }
  return ok(name, 'writable');
}

import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const diskGuide = {
  name: 'disk',
  about: 'Whether the disk of the state directory and of the spool takes files',
  troubles: {
    refuses: {
      state: 'problem',
      meaning: 'New events are lost while the disk takes nothing: the hook must not say so',
      remedy: 'Make room, or make the file system writable again; nothing has to be restarted',
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = diskGuide;

/** Tries to write where hooks and daemon do. */
export async function checkDisk({
  writeTrouble,
  paths,
}: Pick<DoctorPorts, 'writeTrouble' | 'paths'>): Promise<Check> {
  for (const directory of [paths.state, paths.spool]) {
    const trouble = await writeTrouble(directory);
    if (trouble !== null) {
      return found(name, troubles.refuses, `the disk of ${directory} takes no file: ${trouble}`);
    }
  }
  return ok(name, 'takes files');
}

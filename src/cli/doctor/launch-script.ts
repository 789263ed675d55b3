import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const again = 'Run "hookbell restart": the daemon writes it at every start';

export const launchScriptGuide = {
  name: 'launch script',
  about: 'The script by which a hook starts the daemon where none runs',
  troubles: {
    missing: {
      state: 'warning',
      meaning: 'Without it events wait until you start the daemon',
      remedy: again,
    },
    foreign: {
      state: 'problem',
      meaning: 'It belongs to somebody else, is a link or cannot be run',
      remedy: again,
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = launchScriptGuide;

/** The script by which a hook starts the daemon. */
export async function checkLaunchScript({
  paths,
  uid,
  lookAt,
  isExecutable,
}: Pick<DoctorPorts, 'paths' | 'uid' | 'lookAt' | 'isExecutable'>): Promise<Check> {
  const path = paths.launch;
  const script = await lookAt(path);
  if (script === null) {
    return found(name, troubles.missing, `${path} is not there: hooks cannot start the daemon`);
  }
  const isOurs = script.type === 'file' && (uid === null || script.uid === uid);
  if (isOurs && (await isExecutable(path))) return ok(name, path);
  return found(name, troubles.foreign, `${path} is not a program of yours: hooks do not run it`);
}

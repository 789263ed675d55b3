import type { LaunchState } from '../../setup/launch-script.ts';
import type { Check, CheckGuide } from './check.ts';
import { found, ok } from './check.ts';
import type { DoctorPorts } from './ports.ts';

const again = 'Run "hookbell restart", which rewrites it';

export const launchScriptGuide = {
  name: 'launch script',
  about: 'The script with which a hook starts the daemon if none is running',
  troubles: {
    missing: {
      state: 'warning',
      meaning: 'Without it events wait until you start the daemon',
      remedy: again,
    },
    cut: {
      state: 'problem',
      meaning:
        'It is empty or cut off, for example after a power cut: hooks use its spare copy if that is complete',
      remedy: again,
    },
    outdated: {
      state: 'warning',
      meaning:
        'An earlier version wrote it, or its environment was never recorded: a daemon started by a hook gets fewer or different variables than yours',
      remedy: 'Run "hookbell install" again, or "hookbell restart"',
    },
    foreign: {
      state: 'problem',
      meaning: 'It belongs to another user, is a link or cannot be run',
      remedy: again,
    },
  },
} as const satisfies CheckGuide;
const { name, troubles } = launchScriptGuide;

const worst: readonly LaunchState[] = ['missing', 'cut off', 'outdated', 'unrecorded', 'ok'];

/** Checks the script with which a hook starts the daemon, and its spare copy. */
export async function checkLaunchScript({
  paths,
  uid,
  lookAt,
  isExecutable,
  launchState,
}: Pick<DoctorPorts, 'paths' | 'uid' | 'lookAt' | 'isExecutable' | 'launchState'>): Promise<Check> {
  const path = paths.launch;
  const script = await lookAt(path);
  if (script === null) {
    return found(name, troubles.missing, `${path} does not exist: hooks cannot start the daemon`);
  }
  const isOurs = script.type === 'file' && (uid === null || script.uid === uid);
  if (!isOurs || !(await isExecutable(path))) {
    return found(name, troubles.foreign, `${path} is not a program of yours: hooks do not run it`);
  }
  const both = [path, `${path}.spare`].map((each) => ({ path: each, state: launchState(each) }));
  const [first] = both.toSorted((a, b) => worst.indexOf(a.state) - worst.indexOf(b.state));
  return checkOf(first ?? { path, state: 'ok' });
}

function checkOf({ path, state }: { readonly path: string; readonly state: LaunchState }): Check {
  switch (state) {
    case 'missing':
      return found(name, troubles.outdated, `${path} is not there`);
    case 'cut off':
      return found(name, troubles.cut, `${path} is empty or cut off`);
    case 'outdated':
      return found(name, troubles.outdated, `${path} was written by an earlier version`);
    case 'unrecorded':
      return found(name, troubles.outdated, `no environment was recorded for ${path}`);
    case 'ok':
      return ok(name, path);
  }
}

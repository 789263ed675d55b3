import { compareVersions } from '../../platform/compare-versions.ts';
import { isNewEnough, OLDEST_NODE } from '../../platform/program-files.ts';
import type { LaunchState } from '../../setup/launch-script.ts';
import { type Check, defineGuide } from './check.ts';
import type { DoctorPorts } from './ports.ts';

export const serviceGuide = defineGuide('service', {
  idle: {
    state: 'warning',
    remedy: 'Run "hookbell install" again; until then the first hook starts the daemon',
  },
});

/** Reports what starts the daemon. Both ways are fine; users want to know which applies, and whether it is loaded. */
export async function checkService({ service, lookAt, run }: DoctorPorts): Promise<Check> {
  if (service === null || (await lookAt(service.files[0].path)) === null) {
    return serviceGuide.ok('none: the first hook starts the daemon when needed');
  }
  const { path } = service.files[0];
  const status = await run(service.status);
  if (!status.ok) {
    const message = status.message === '' ? '' : `: ${status.message}`;
    const summary = `${path} exists, but ${service.name} has not loaded it${message}`;
    return serviceGuide.found('idle', summary);
  }
  const { hint } = service;
  const needsHint = hint !== null && (await lookAt(hint.unless)) === null;
  return serviceGuide.ok(
    `${service.name} starts the daemon: ${path}`,
    needsHint ? hint.text : null,
  );
}

export const nodeGuide = defineGuide('node', {
  old: { state: 'problem', remedy: 'Install a newer Node' },
});

export function checkNodeVersion({ nodeVersion }: DoctorPorts): Check {
  if (isNewEnough(nodeVersion)) return nodeGuide.ok(`Node ${nodeVersion}`);
  return nodeGuide.found('old', `Node ${nodeVersion}, expected ${OLDEST_NODE} or later`);
}

export const programGuide = defineGuide('program', {
  older: { state: 'warning', remedy: 'Run "{command}"' },
  newer: { state: 'warning', remedy: 'Run "hookbell upgrade"' },
});

/** Compares the user's copy of the program with the program that runs, which may belong to a package. */
export function checkProgram({ version, copyVersion, runsByNpx }: DoctorPorts): Check {
  if (copyVersion === null) return programGuide.skipped('nothing is installed for this user');
  const order = compareVersions(copyVersion, version);
  if (order === 0) return programGuide.ok(`hookbell ${version}`);
  const summary = `your copy is hookbell ${copyVersion}, and this command is ${version}`;
  if (order > 0) return programGuide.found('newer', summary);
  // The command may be missing, or be that of the copy, which would look for the latest version instead of this one.
  const command = runsByNpx ? `npx hookbell@${version} install --refresh` : 'hookbell upgrade';
  return programGuide.found('older', summary, { command });
}

export const environmentGuide = defineGuide('environment', {
  insecure: {
    state: 'warning',
    remedy:
      'Remove {name} from your environment. For the certificate authority of your company, set NODE_EXTRA_CA_CERTS to a file that only you may write, and run "hookbell restart"',
  },
});

/** Looks for variables that were removed because the environment may not set them. */
export function checkEnvironment({ ignoredVariables }: DoctorPorts): Check {
  const [first] = ignoredVariables;
  if (first === undefined) return environmentGuide.ok('certificates are verified');
  const summary = `${first} is 0 here; hookbell ignores it`;
  return environmentGuide.found('insecure', summary, { name: first });
}

const again = 'Run "hookbell restart", which rewrites it';

export const launchScriptGuide = defineGuide('launch script', {
  missing: { state: 'warning', remedy: again },
  cut: { state: 'problem', remedy: again },
  outdated: { state: 'warning', remedy: 'Run "hookbell install" again, or "hookbell restart"' },
  foreign: { state: 'problem', remedy: again },
});

/** The worst first. */
const findings: readonly [LaunchState, 'outdated' | 'cut', (path: string) => string][] = [
  ['missing', 'outdated', (path) => `${path} is not there`],
  ['truncated', 'cut', (path) => `${path} is empty or cut off`],
  ['outdated', 'outdated', (path) => `${path} was written by an earlier version`],
  ['unrecorded', 'outdated', (path) => `no environment was recorded for ${path}`],
];

/** Checks the script with which a hook starts the daemon, and its spare copy. */
export async function checkLaunchScript(ports: DoctorPorts): Promise<Check> {
  const { paths, uid, lookAt, isExecutable, launchState } = ports;
  const path = paths.launch;
  const script = await lookAt(path);
  const { found, ok } = launchScriptGuide;
  if (script === null) {
    return found('missing', `${path} does not exist: hooks cannot start the daemon`);
  }
  const isOurs = script.type === 'file' && (uid === null || script.uid === uid);
  if (!isOurs || !(await isExecutable(path))) {
    return found('foreign', `${path} is not a program that you own: hooks do not run it`);
  }
  const both = [path, `${path}.spare`].map((each) => ({ each, state: launchState(each) }));
  for (const [state, trouble, textOf] of findings) {
    const first = both.find((one) => one.state === state);
    if (first !== undefined) return found(trouble, textOf(first.each));
  }
  return ok(path);
}

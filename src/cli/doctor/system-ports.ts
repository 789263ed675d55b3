import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, readlink, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { findProjectFile, readTrusted } from '../../config/project-file.ts';
import { resolveSecret } from '../../config/secrets.ts';
import { whyNotOurs } from '../../platform/ownership.ts';
import { systemClock } from '../../platform/time.ts';
import { inspectHooks } from '../../setup/inspect-hooks.ts';
import { launchState } from '../../setup/launch-script.ts';
import { runStep } from '../../setup/run-steps.ts';
import { writeTrouble } from '../../setup/write-trial.ts';
import type { CommandContext } from '../context.ts';
import { installedService, registrableAgents } from '../install-places.ts';
import { loadFullConfig } from '../read-config.ts';
import type { DoctorPorts, FileFacts, WhyForeign } from './ports.ts';

/** A secret in a file must not run a program. */
const noPrograms = {
  findProgram: () => Promise.resolve(null),
  runProgram: () => Promise.reject(new Error('A secret in a file must not run a program')),
};

/** The real machine. */
export function systemPorts(context: CommandContext): DoctorPorts {
  const { paths, env, ignoredVariables = [], version, ask } = context;
  const searchPath = env['PATH'] ?? '';
  const home = homedir();
  return {
    now: systemClock,
    wait: delay,
    nodeVersion: process.versions.node,
    version,
    paths,
    ignoredVariables,
    launchState,
    uid: process.geteuid?.() ?? null,
    searchPath: searchPath.split(delimiter).filter((part) => part !== ''),
    ask,
    lookAt,
    whyForeign,
    namesIn: (directory) => readdir(directory).catch(() => []),
    writeTrouble,
    isExecutable,
    loadConfig: () => loadFullConfig(paths.config),
    readSecretFile: (file) =>
      resolveSecret(
        { file },
        { env, baseDir: dirname(paths.config), platform: process.platform, ...noPrograms },
      ),
    project: async () => ({
      file: await findProjectFile(process.cwd(), process.geteuid?.() ?? null),
      trusted: await readTrusted(paths.trustedProjects),
    }),
    agents: registrableAgents(),
    inspectHooks: (agent) =>
      inspectHooks(
        agent,
        { base: home, home, configHome: paths.configHome, state: paths.state, searchPath, env },
        process.cwd(),
      ),
    service: installedService(context),
    run: runStep,
  };
}

export const whyForeign: WhyForeign = (path, kind) =>
  whyNotOurs(
    path,
    kind,
    {
      uid: process.geteuid?.(),
      lstat: (place) => lstat(place),
      readlink: (place) => readlink(place),
    },
    { allowMissing: true },
  );

async function lookAt(path: string): Promise<FileFacts | null> {
  const found = await lstat(path).catch(() => null);
  return found === null ? null : { type: typeOf(found), mode: found.mode & 0o777, uid: found.uid };
}

function typeOf(found: Stats): FileFacts['type'] {
  if (found.isFile()) return 'file';
  if (found.isDirectory()) return 'directory';
  return found.isSymbolicLink() ? 'link' : 'other';
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

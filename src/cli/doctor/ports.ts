import { constants, type Stats } from 'node:fs';
import { access, lstat, readdir, readlink, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Loaded } from '../../config/load.ts';
import { findProjectFile, type ProjectFile, readTrusted } from '../../config/project-file.ts';
import { resolveSecret } from '../../config/secrets.ts';
import type { Paths } from '../../core/paths.ts';
import { lastingNode, ownProgram } from '../../platform/program-files.ts';
import { type OwnedKind, whyNotOurs } from '../../platform/ownership.ts';
import { type Clock, systemClock } from '../../platform/time.ts';
import type { RegistrableAgent } from '../../setup/hook-places.ts';
import { type HookInspection, inspectHooks } from '../../setup/inspect-hooks.ts';
import { programVersion } from '../../setup/installed-program.ts';
import { launchState, type LaunchState } from '../../setup/launch-script.ts';
import { runStep, type RunStep } from '../../setup/run-steps.ts';
import type { ServiceManager } from '../../setup/services/service-manager.ts';
import { customAgentsIn } from '../../setup/custom-agent.ts';
import { readManifest } from '../../setup/manifest.ts';
import { isInCacheOfNpx } from '../../setup/upgrade/find-origin.ts';
import { writeTrouble } from '../../setup/write-trial.ts';
import type { CommandContext } from '../context.ts';
import { installedService, installPlaces, registrableAgents } from '../install-places.ts';
import { loadFullConfig } from '../read-config.ts';

/** A secret in a file must not run a program. */
const noPrograms = {
  findProgram: () => Promise.resolve(null),
  runProgram: () => Promise.reject(new Error('A secret in a file must not run a program')),
};

/** The real machine. */
export async function systemPorts(context: CommandContext): Promise<DoctorPorts> {
  const { paths, env, ignoredVariables = [], version, ask } = context;
  const searchPath = env['PATH'] ?? '';
  const home = homedir();
  const { settings } = await readManifest(installPlaces(context).manifest);
  const node = process.platform === 'win32' ? lastingNode() : undefined;
  const { state, agentConfigHome: configHome } = paths;
  const surroundings = { base: home, home, configHome, state, searchPath, env, node };
  return {
    now: systemClock,
    wait: delay,
    nodeVersion: process.versions.node,
    version,
    copyVersion: await programVersion(paths.program),
    runsByNpx: isInCacheOfNpx(ownProgram),
    paths,
    ignoredVariables,
    launchState,
    uid: process.geteuid?.() ?? null,
    platform: process.platform,
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
    agents: [...registrableAgents(), ...(await customAgentsIn(settings, home))],
    inspectHooks: (agent) => inspectHooks(agent, surroundings, process.cwd()),
    service: installedService(context),
    run: runStep,
  };
}

export const whyForeign: WhyForeign = (path, kind) => {
  const around = {
    uid: process.geteuid?.(),
    lstat: (place: string) => lstat(place),
    readlink: (place: string) => readlink(place),
  };
  return whyNotOurs(path, kind, around, { allowMissing: true });
};

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

/** What is at a path, without following symbolic links. */
export interface FileFacts {
  readonly type: 'file' | 'directory' | 'link' | 'other';
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
}

/** Returns why another user could change a path; null if none can. */
export type WhyForeign = (path: string, kind: OwnedKind) => Promise<string | null>;

/** Everything the checks of `doctor` depend on. */
export interface DoctorPorts {
  readonly now: Clock;
  readonly wait: (ms: number) => Promise<void>;
  /** Of the Node that runs this, such as "20.19.0". */
  readonly nodeVersion: string;
  /** Of this program. */
  readonly version: string;
  /** Of the user's copy of the program; null without one. */
  readonly copyVersion: string | null;
  /** Whether npx runs this program. */
  readonly runsByNpx: boolean;
  readonly paths: Paths;
  /** The effective user id; null on systems without user ids (Windows), where no permissions are checked. */
  readonly uid: number | null;
  readonly platform: NodeJS.Platform;
  /** Environment variables that hookbell ignores. */
  readonly ignoredVariables: readonly string[];
  /** State of the content of a launch script. */
  readonly launchState: (path: string) => LaunchState;
  /** Directories searched for commands. */
  readonly searchPath: readonly string[];
  readonly ask: CommandContext['ask'];
  /** Null if nothing exists there. */
  readonly lookAt: (path: string) => Promise<FileFacts | null>;
  /** Why another user could change or replace the file; null if none can, or if it does not exist. */
  readonly whyForeign: WhyForeign;
  /** Empty if the directory does not exist. */
  readonly namesIn: (directory: string) => Promise<readonly string[]>;
  /** Why a directory accepts no files, a clause about its disk; null if it accepts them, or does not exist. */
  readonly writeTrouble: (directory: string) => string | null;
  /** True for a file (or a link to one) that we may execute. */
  readonly isExecutable: (path: string) => Promise<boolean>;
  readonly loadConfig: () => Promise<Loaded>;
  /** Reads a secret as the daemon does; throws ConfigError where the daemon would refuse the file. */
  readonly readSecretFile: (path: string) => Promise<unknown>;
  /** The project file of the current directory, and the trusted ones. */
  readonly project: () => Promise<{
    readonly file: ProjectFile | null;
    readonly trusted: ReadonlyMap<string, string>;
  }>;
  readonly agents: readonly RegistrableAgent[];
  readonly inspectHooks: (agent: RegistrableAgent) => Promise<HookInspection>;
  /** The service that starts the daemon at log-in; null if hookbell supports none here. */
  readonly service: Pick<ServiceManager, 'name' | 'files' | 'status' | 'hint'> | null;
  /** Runs a program of the system. */
  readonly run: RunStep;
}

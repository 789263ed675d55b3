import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { dialects } from '../agents/registry.ts';
import { secretVariables } from '../config/secret-places.ts';
import { launchEnvironment } from '../core/launch-environment.ts';
import { lastingNode, ownProgram, programFile } from '../platform/program-files.ts';
import { UsageError } from '../platform/errors.ts';
import { CUSTOM_AGENT } from '../core/agent/custom-name.ts';
import { customAgentsIn } from '../setup/custom-agent.ts';
import { chooseFile, type RegistrableAgent } from '../setup/hook-places.ts';
import type { InstallPlaces } from '../setup/install.ts';
import { launchState, readLaunchRecord, writeLaunchScript } from '../setup/launch-script.ts';
import { environmentFacts } from '../setup/install-recorder.ts';
import type { LaunchOptions } from '../setup/launch-text.ts';
import { readManifest } from '../setup/manifest.ts';
import { fileExists } from '../setup/settings-file.ts';
import { serviceManager } from '../setup/service.ts';
import type { ServiceManager } from '../setup/services/service-manager.ts';
import type { CommandContext } from './context.ts';
import { loadFullConfig } from './read-config.ts';

export function installPlaces({ paths, env }: CommandContext): InstallPlaces {
  return {
    paths,
    home: homedir(),
    searchPath: env['PATH'] ?? '',
    env,
    checkout: ownProgram,
    manifest: manifestFile(paths),
    dataHome: process.platform === 'linux' ? dataHome(env) : null,
    manual: manualPage,
    hook: programFile(process.platform === 'win32' ? 'hook' : 'shellHook', paths.program),
    askHook: programFile('askHook', paths.program),
    ...(process.platform === 'win32' && { node: lastingNode() }),
  };
}

/** The manual page of this program, which the build writes; null on Windows, or without it. */
async function manualPage(): Promise<string | null> {
  if (process.platform === 'win32') return null;
  return readFile(programFile('manual'), 'utf8').catch(() => null);
}

/** XDG Base Directory Specification: a relative path is invalid. */
function dataHome(env: CommandContext['env']): string {
  const named = env['XDG_DATA_HOME'] ?? '';
  return isAbsolute(named) ? named : join(homedir(), '.local', 'share');
}

/** Editors check the configuration against the schema of the installed program. */
export function configSchemaFile({ program }: CommandContext['paths']): string {
  return join(program, 'config', 'hookbell.schema.json');
}

/** The service manager of this machine with the installed program as its service. */
export function installedService(
  { paths }: Pick<CommandContext, 'paths'>,
  { wake }: { readonly wake: boolean } = { wake: false },
): ServiceManager | null {
  return serviceManager({
    platform: process.platform,
    home: homedir(),
    user: userInfo().username,
    uid: process.getuid?.() ?? 0,
    configHome: paths.configHome,
    spool: paths.spool,
    node: process.execPath,
    main: programFile('daemon', paths.program),
    state: paths.state,
    lastWords: paths.lastWords,
    config: paths.config,
    wake,
  });
}

/** The service that `install` has recorded in this state directory; null if it has none. */
export async function recordedService({
  paths,
}: Pick<CommandContext, 'paths'>): Promise<ServiceManager | null> {
  const service = installedService({ paths });
  if (service === null) return null;
  const { files } = await readManifest(manifestFile(paths));
  const [{ path }] = service.files;
  return files.some((file) => file.path === path) && (await fileExists(path)) ? service : null;
}

/** The recorded service if it starts the daemon at any time: the task of Windows is known to do so only at log-on. */
export async function startingService(context: Pick<CommandContext, 'paths'>) {
  return process.platform === 'win32' ? null : recordedService(context);
}

function manifestFile({ state }: CommandContext['paths']): string {
  return join(state, 'install.json');
}

/**
 * Returns what `install` has installed on this machine, as its manifest states: the agents whose settings for the user have
 * our hooks, whether there is a service, and whether it also starts the daemon when an event waits.
 */
export async function installedParts(context: CommandContext) {
  const places = installPlaces(context);
  const { settings, files } = await readManifest(places.manifest);
  const agents: RegistrableAgent[] = [];
  for (const each of registrableAgents()) {
    const { home, searchPath, env, paths } = places;
    const where = { base: home, home, configHome: paths.agentConfigHome, searchPath, env };
    const file = await chooseFile(each.registration, where);
    if (settings.some(({ path, shape }) => path === file?.path && shape === file.shape)) {
      agents.push(each);
    }
  }
  agents.push(...(await customAgentsIn(settings, places.home)));
  const has = (file: string | undefined): boolean => files.some(({ path }) => path === file);
  const [service, wake] = installedService(context, { wake: true })?.files ?? [];
  return { agents, hasService: has(service?.path), wakes: wake !== undefined && has(wake.path) };
}

/** Returns every agent whose hooks hookbell can register, once for each way it reports events. */
export function registrableAgents(): readonly RegistrableAgent[] {
  return Object.values(dialects).flatMap(({ agent, registrations }) =>
    registrations.map((registration) => ({ agent, registration })),
  );
}

/** Returns true if the command is on PATH. */
export function isOnSearchPath({ paths, env }: CommandContext): boolean {
  return (env['PATH'] ?? '').split(delimiter).includes(dirname(paths.command));
}

export interface WantedLaunch {
  readonly options: LaunchOptions;
  readonly environment: Readonly<Record<string, string>>;
  /** Whether a daemon started by a hook would now get something else. */
  readonly isNew: boolean;
}

/**
 * Returns what `install`, `start` and `restart` record: program and environment of every daemon of this state directory,
 * however it is started. No other command changes it, and no daemon.
 *
 * @param program folder of the program whose daemon is started
 */
export async function wantedLaunch(
  { paths, env }: CommandContext,
  program: string,
): Promise<WantedLaunch> {
  const earlier = readLaunchRecord(paths.launch);
  const previous = earlier?.environment ?? null;
  const loaded = await loadFullConfig(paths.config);
  const environment = launchEnvironment({
    env,
    paths,
    home: homedir(),
    platform: process.platform,
    // If the configuration cannot be read, the recorded values are kept.
    secretNames: loaded.ok ? secretVariables(loaded.config.raw) : Object.keys(previous ?? {}),
    previous,
    facts: environmentFacts,
  });
  const node = lastingNode();
  const main = programFile('daemon', program);
  const manager = (await startingService({ paths }))?.start ?? null;
  const isSame =
    launchState(paths.launch) === 'ok' &&
    earlier?.command === node &&
    isDeepStrictEqual(earlier.args, [main]) &&
    isDeepStrictEqual(earlier.manager, manager) &&
    isDeepStrictEqual(previous, environment);
  return {
    options: { node, main, stateDirectory: paths.state, home: homedir(), environment, manager },
    environment,
    isNew: !isSame,
  };
}

/** Records it. Only while no daemon runs: a running one treats a replaced `launch` as damage, and restarts. */
export function recordLaunch({ options }: WantedLaunch): void {
  mkdirSync(options.stateDirectory, { recursive: true, mode: 0o700 });
  writeLaunchScript(options);
}

/** Returns the registrable agents with these names; all if no name is given. @param custom the one that "custom" means */
export function chooseAgents(
  names: readonly string[],
  custom?: RegistrableAgent,
): readonly RegistrableAgent[] {
  const all = registrableAgents();
  if (names.length === 0) return all;
  return [...new Set(names)].flatMap((name) => {
    const found = all.filter(({ agent }) => agent === name);
    if (found.length > 0) return found;
    if (name === CUSTOM_AGENT && custom !== undefined) return custom;
    throw new UsageError(`Unknown agent "${name}"`, {
      hint: `Supported agents: ${[...new Set(all.map(({ agent }) => agent))].join(', ')}`,
    });
  });
}

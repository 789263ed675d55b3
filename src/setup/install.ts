/*
 * What is changed on a machine once: hooks of agents, the program, the service, and all of it undone. Each step can run
 * again and keeps what others wrote. Events, decisions and the running daemon never enter.
 */
import { realpath, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import { writeAtomically } from '../platform/replace-file.ts';
import type { Answers } from './hook-layout.ts';
import type { Paths } from '../core/paths.ts';
import { installDesktopEntry, installManual } from './desktop-entry.ts';
import type { RegistrableAgent } from './hook-places.ts';
import { installConfig, type NewConfig } from './install-config.ts';
import { installHooks } from './install-hooks.ts';
import {
  closeToOthers,
  copyProgram,
  programFingerprint,
  programVersion,
  recordNode,
  recordSource,
} from './installed-program.ts';
import { isLinked, linkCommand } from './installed-command.ts';
import { createInstallRecorder, type Recorder } from './install-recorder.ts';
import type { InstallStep, RunStep } from './run-steps.ts';
import { refuseNewerDatabase } from './upgrade/newer-database.ts';
import type { ServiceFile, ServiceManager } from './services/service-manager.ts';
import { fileExists } from './settings-file.ts';
import { installToastLinks } from './services/toast-links.ts';

export interface InstallOptions {
  /** Register the hooks with these agents; empty: none. */
  readonly agents: readonly RegistrableAgent[];
  /** Register even if the agent does not seem to be installed. */
  readonly force: boolean;
  /** Directory whose settings are written: the home directory, or a project's. */
  readonly base: string;
  /** Whether agents run the hook that waits for answers; absent: as before. */
  readonly answers?: boolean | undefined;
  /** With `answers`: whether Claude Code also waits for words after its turn; undefined: as before. */
  readonly words?: boolean | undefined;
  /** Hosts to register the MCP server with, those that are there; absent: none. */
  readonly mcpHosts?: readonly RegistrableAgent[];
  readonly config: NewConfig;
  readonly service: ServiceManager | null;
  readonly dryRun: boolean;
  /** Called before another program takes the place of the installed one; throws if it must not. */
  readonly beforeReplacing?: () => Promise<void>;
}

export interface InstallPlaces {
  readonly paths: Paths;
  readonly home: string;
  readonly searchPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The built program to install. */
  readonly checkout: string;
  readonly manifest: string;
  /** Directory in which desktops look for applications and icons; null: unsupported on this system. */
  readonly dataHome: string | null;
  /** Returns the manual page, or null if there is none for this system. */
  readonly manual?: () => Promise<string | null>;
  readonly hook: string;
  readonly askHook: string;
  /** The Node that runs the hook, on Windows. */
  readonly node?: string;
}

export interface Installed {
  readonly steps: readonly InstallStep[];
  /** True if a running daemon would still be the old program. */
  readonly programChanged: boolean;
  readonly serviceRuns: boolean;
}

/**
 * Installs the program, its command, a configuration if missing, the hooks and the service. Records every change outside
 * its own directories, so that `uninstall` can undo it; a second run changes nothing.
 *
 * @throws FailedError if a newer hookbell wrote the database, or the program must not be replaced; nothing is changed then
 */
export async function install(
  options: InstallOptions,
  places: InstallPlaces,
  run: RunStep,
): Promise<Installed> {
  await refuseNewerDatabase(places.paths);
  const recorder = await createInstallRecorder(places.manifest, options.dryRun);
  const steps: InstallStep[] = [];
  const program = await installProgram(places, recorder, options.beforeReplacing);
  steps.push(program, await installCommand(places, recorder));
  const desktop = await installDesktopEntry({ ...places, command: places.paths.command }, recorder);
  if (desktop !== null) steps.push(desktop);
  const page = (await places.manual?.()) ?? null;
  const manual = await installManual({ command: places.paths.command, page }, recorder);
  if (manual !== null) steps.push(manual);
  const links = await installToastLinks(places, run, recorder.dryRun);
  if (links !== null) steps.push(links);
  steps.push(await installConfig(places.paths.config, options.config, recorder));
  const { agents, force, base } = options;
  const { hook, askHook, node, home, searchPath, env } = places;
  const wanted: Answers =
    options.answers === true ? { hook: askHook, words: options.words } : 'remove';
  const answers = options.answers === undefined ? undefined : wanted;
  const { agentConfigHome: configHome, state } = places.paths;
  const surroundings = { base, home, configHome, state, searchPath, env, node };
  steps.push(...(await installHooks(agents, { hook, force, answers, surroundings }, recorder)));
  if (options.mcpHosts !== undefined) {
    const ofUser = { ...surroundings, base: home };
    const how = { hook: places.paths.command, force, surroundings: ofUser };
    steps.push(...(await installHooks(options.mcpHosts, how, recorder)));
  }
  const service = await installService(options.service, run, recorder);
  steps.push(service);
  return {
    steps,
    programChanged: program.state === 'done',
    serviceRuns: service.state === 'done' || service.state === 'unchanged',
  };
}

async function installProgram(
  { checkout, paths }: InstallPlaces,
  recorder: Recorder,
  beforeReplacing: InstallOptions['beforeReplacing'],
): Promise<InstallStep> {
  const { program } = paths;
  const name = 'program';
  const before = await programVersion(program);
  const after = await programVersion(checkout);
  if ((await realpath(program).catch(() => null)) === (await realpath(checkout))) {
    return { name, state: 'unchanged', text: `${program} (run from there)` };
  }
  if ((await programFingerprint(program)) === (await programFingerprint(checkout))) {
    if (!recorder.dryRun) {
      await closeToOthers(program);
      await recordNode(program);
      await recordSource(program, checkout);
    }
    return { name, state: 'unchanged', text: program };
  }
  if (!recorder.dryRun) await beforeReplacing?.();
  await recorder.makeDirectory(dirname(program));
  if (!recorder.dryRun) await copyProgram(checkout, program);
  const isOther = before !== null && before !== after;
  return { name, state: 'done', text: isOther ? `${program}: ${before} -> ${after}` : program };
}

async function installCommand({ paths }: InstallPlaces, recorder: Recorder): Promise<InstallStep> {
  const name = 'command';
  if (await isLinked(paths)) return { name, state: 'unchanged', text: paths.command };
  await recorder.makeDirectory(dirname(paths.command));
  if (!recorder.dryRun) await linkCommand(paths);
  return { name, state: 'done', text: paths.command };
}

async function installService(
  service: ServiceManager | null,
  run: RunStep,
  recorder: Recorder,
): Promise<InstallStep> {
  const name = 'service';
  if (service === null) {
    return { name, state: 'skipped', text: 'none; the hook starts the daemon when needed' };
  }
  if (!(await run(service.probe)).ok) {
    const why = `no ${service.name} for this user; the hook starts the daemon when needed`;
    return { name, state: 'skipped', text: why };
  }
  const text = `${service.name}: ${service.files.map(({ path }) => path).join(', ')}`;
  const missing: ServiceFile[] = [];
  for (const file of service.files) {
    const recorded = recorder.manifest().files.find(({ path }) => path === file.path);
    const isThere = recorded?.hash === sha256(file.content) && (await fileExists(file.path));
    if (!isThere) missing.push(file);
  }
  if (missing.length === 0) return { name, state: 'unchanged', text };
  const { hint } = service;
  const advice = hint === null || (await fileExists(hint.unless)) ? {} : { advice: hint.text };
  if (recorder.dryRun) return { name, state: 'done', text, ...advice };
  for (const { path, content } of missing) {
    await recorder.makeDirectory(dirname(path));
    await writeAtomically(path, content, { mode: 0o644 });
    await recorder.recordFile(path, content);
  }
  for (const argv of service.enable) {
    const result = await run(argv);
    if (!result.ok) {
      for (const { path } of service.files) await rm(path, { force: true });
      return { name, state: 'failed', text: `${argv.join(' ')}: ${result.message}` };
    }
  }
  return { name, state: 'done', text, ...advice };
}

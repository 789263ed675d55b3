import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import type { InstallPlaces } from './install.ts';
import { revertHooks } from './hooks.ts';
import type { HookRemoval } from './hooks.ts';
import { readManifest, removeEmptyDirectories } from './manifest.ts';
import { isLinked } from './program.ts';
import type { RunStep } from './run-steps.ts';
import type { ServiceManager } from './service.ts';
import { hashOf } from './settings-file.ts';

export interface UninstallOptions {
  readonly service: ServiceManager | null;
  /** Also the configuration, whoever wrote it, and everything hookbell remembers. */
  readonly purge: boolean;
  readonly dryRun: boolean;
  /** Stops a running daemon; called after the service was taken down. */
  readonly stopDaemon: () => Promise<void>;
}

/** One thing the removal did, or would do with `dryRun`, as a line for people. */
export type UninstallStep = string;

const removals: Readonly<Record<HookRemoval, string>> = {
  restored: 'restored to what it was',
  removed: 'our entries taken out, your changes kept',
  gone: 'no longer there',
  left: 'left alone: it is not valid JSON',
};

/** Undoes what `install` did. What a person edited since is kept, unless `purge`. */
export async function uninstall(
  { service, purge, dryRun, stopDaemon }: UninstallOptions,
  { paths, manifest: manifestPath }: InstallPlaces,
  run: RunStep,
): Promise<readonly UninstallStep[]> {
  const manifest = await readManifest(manifestPath);
  const steps: UninstallStep[] = [];
  for (const record of manifest.settings) {
    const result = dryRun ? 'would be taken out' : removals[await revertHooks(record)];
    steps.push(`hooks    ${record.agent}: ${record.path}: ${result}`);
  }
  const hasService = manifest.files.some(({ path }) => path === service?.path);
  if (service !== null && hasService) {
    steps.push(`service  ${service.name}: ${service.path}`);
    if (!dryRun) for (const argv of service.disable) await run(argv);
  }
  if (!dryRun) await stopDaemon();

  for (const { path, hash } of manifest.files) {
    const content = await readFile(path).catch(() => null);
    if (content === null) continue;
    const isOurs = hashOf(content) === hash;
    if (!isOurs && !purge) {
      steps.push(`kept     ${path}: you changed it (remove it with --purge)`);
      continue;
    }
    steps.push(`removed  ${path}`);
    if (!dryRun) await rm(path);
  }
  if (await isLinked(paths)) {
    steps.push(`removed  ${paths.command}`);
    if (!dryRun) await rm(paths.command);
  }
  const wholes = [paths.program, ...(purge ? [paths.config, paths.state, paths.runtime] : [])];
  for (const whole of wholes) {
    steps.push(`removed  ${whole}`);
    if (!dryRun) await rm(whole, { recursive: true, force: true });
  }
  if (!dryRun) {
    await rm(manifestPath, { force: true });
    const made = purge ? [dirname(paths.config), ...manifest.directories] : manifest.directories;
    await removeEmptyDirectories([...new Set(made)].toSorted());
  }
  return steps;
}

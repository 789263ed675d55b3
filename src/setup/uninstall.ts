import { readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import { sha256 } from '../platform/crypto.ts';
import type { InstallPlaces } from './install.ts';
import { type HookRemoval, revertHooks } from './hooks.ts';
import type { SettingsRecord } from './manifest.ts';
import { emptyManifest, readManifest, removeEmptyDirectories, writeManifest } from './manifest.ts';
import { isLinked } from './installed-command.ts';
import type { RunStep } from './run-steps.ts';
import type { ServiceManager } from './services/service-manager.ts';
import { fileExists } from './settings-file.ts';
import { removeToastLinks } from './services/toast-links.ts';

export interface UninstallOptions {
  readonly service: ServiceManager | null;
  /** Also remove the configuration, regardless of its author, and all stored data. */
  readonly purge: boolean;
  /** Files with secrets that commands wrote after the installation, which `purge` removes. */
  readonly credentials?: readonly string[];
  readonly dryRun: boolean;
  /** Stops a running daemon; called after the service was taken down. */
  readonly stopDaemon: () => Promise<void>;
}

/** One step that the removal did, or would do with `dryRun`. */
export interface UninstallStep {
  readonly name: 'hooks' | 'service' | 'removed' | 'kept';
  /** For people: what it was done to. */
  readonly text: string;
}

const removals: Readonly<Record<HookRemoval, string>> = {
  restored: 'restored',
  removed: 'our entries removed, your changes kept',
  gone: 'already deleted',
  left: 'left alone, because it can no longer be parsed: remove the entries with "hookbell-hook"',
  locked: 'left alone, because it is not writable: remove the entries with "hookbell-hook"',
};

/** Removes the hooks from the settings of these agents; all else stays, and stays recorded. */
export async function removeAgentHooks(
  { agents, dryRun }: { readonly agents: readonly string[]; readonly dryRun: boolean },
  { manifest: manifestPath }: Pick<InstallPlaces, 'manifest'>,
): Promise<readonly UninstallStep[]> {
  const manifest = await readManifest(manifestPath);
  const steps: UninstallStep[] = [];
  const left: SettingsRecord[] = [];
  for (const record of manifest.settings) {
    if (!agents.includes(record.agent)) {
      left.push(record);
      continue;
    }
    const removal = dryRun ? null : await revertHooks(record);
    if (removal === 'left' || removal === 'locked') left.push(record);
    const result = removal === null ? 'would be removed' : removals[removal];
    steps.push({ name: 'hooks', text: `${record.agent}: ${record.path}: ${result}` });
  }
  if (!dryRun && steps.length > 0)
    await writeManifest(manifestPath, { ...manifest, settings: left });
  return steps;
}

/** Undoes `install`. A configuration other than the untouched starter, and files that the user edited, are kept unless `purge`. */
export async function uninstall(
  { service, purge, credentials = [], dryRun, stopDaemon }: UninstallOptions,
  { paths, manifest: manifestPath }: InstallPlaces,
  run: RunStep,
): Promise<readonly UninstallStep[]> {
  const manifest = await readManifest(manifestPath);
  const steps: UninstallStep[] = [];
  for (const record of manifest.settings) {
    const result = dryRun ? 'would be removed' : removals[await revertHooks(record)];
    steps.push({ name: 'hooks', text: `${record.agent}: ${record.path}: ${result}` });
  }
  const [description] = service?.files ?? [];
  const hasService = manifest.files.some(({ path }) => path === description?.path);
  if (service !== null && hasService) {
    steps.push({ name: 'service', text: `${service.name}: ${description?.path ?? ''}` });
    if (!dryRun) for (const argv of service.disable) await run(argv);
  }
  if (await removeToastLinks(run, dryRun)) {
    steps.push({ name: 'removed', text: 'clicks on toasts' });
  }
  if (!dryRun) await stopDaemon();

  const doomed: string[] = [];
  for (const { path, hash } of manifest.files) {
    const content = await readFile(path).catch(() => null);
    if (content === null) continue;
    if (purge || sha256(content) === hash) doomed.push(path);
    else steps.push({ name: 'kept', text: `${path}: you changed it` });
  }
  const isRecorded = manifest.files.some(({ path }) => path === paths.config);
  if (!purge && !isRecorded && (await fileExists(paths.config))) {
    steps.push({ name: 'kept', text: `${paths.config}: your configuration` });
  }
  for (const path of [...manifest.secrets, ...credentials]) {
    if (purge) doomed.push(path);
    else if (await fileExists(path)) steps.push({ name: 'kept', text: `${path}: a secret` });
  }
  if (await isLinked(paths)) doomed.push(paths.command);
  doomed.push(paths.program);
  if (purge) doomed.push(paths.config, paths.runtime, paths.state);
  for (const path of new Set(doomed)) {
    if (!(await fileExists(path))) continue;
    steps.push({ name: 'removed', text: path });
    if (!dryRun) await rm(path, { recursive: true, force: true, maxRetries: 10 });
  }
  if (!purge && (await fileExists(paths.state))) {
    steps.push({ name: 'kept', text: `${paths.state}: the data of hookbell` });
  }
  if (!dryRun) {
    await rm(manifestPath, { force: true });
    const made = purge ? [dirname(paths.config), ...manifest.directories] : manifest.directories;
    const left = await removeEmptyDirectories([...new Set(made)].toSorted());
    // A later --purge needs the secrets, and the non-empty directories that we created.
    if (!purge && (await fileExists(paths.state))) {
      const { secrets } = manifest;
      await writeManifest(manifestPath, { ...emptyManifest, directories: [...left], secrets });
    }
  }
  return steps;
}

import { isBuiltin } from 'node:module';

import { type RuntimePackage, runtimePackages } from './runtime-packages.ts';

/** The package that stands in for SQLite where Node has none (before 22.13). */
const SQLITE_PACKAGE = '@photostructure/sqlite';

/** The sources that it is compiled with, which nothing needs at run time: it brings programs for every system. */
const SQLITE_SOURCES = 'node-addon-api';

/** The system for which a program is copied. */
export interface TargetSystem {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** WSL also runs the programs of Windows. */
  readonly isWsl: boolean;
}

/** The runtime packages that a copy of a program for this Node needs; with `anyNode`, those that every supported Node needs. */
export async function copiedPackages(
  program: string,
  { anyNode = false, hasSqlite = isBuiltin('node:sqlite') } = {},
): Promise<readonly RuntimePackage[]> {
  return runtimePackages(program, [
    SQLITE_SOURCES,
    ...(hasSqlite && !anyNode ? [SQLITE_PACKAGE] : []),
  ]);
}

/** Whether a file of a runtime package is a program for other systems, or a source of what it brings compiled. */
export function isForOtherSystem(
  path: string,
  { platform, arch, isWsl }: TargetSystem = thisSystem(),
): boolean {
  const name = path.replaceAll('\\', '/');
  if (/\/(?:zod\/src|@photostructure\/sqlite\/(?:src|binding\.gyp|scripts))(?:\/|$)/.test(name))
    return true;
  const prebuild = /\/prebuilds\/([^/]+)(?:\/|$)/.exec(name)?.[1];
  if (prebuild !== undefined) return prebuild !== `${platform}-${arch}`;
  const vendor = /\/node-notifier\/vendor\/([^/]+)/.exec(name)?.[1];
  if (vendor === undefined) return false;
  if (vendor.startsWith('mac') || vendor.startsWith('terminal')) return platform !== 'darwin';
  return platform !== 'win32' && !isWsl;
}

function thisSystem(): TargetSystem {
  const { platform, arch, env } = process;
  return { platform, arch, isWsl: env['WSL_DISTRO_NAME'] !== undefined };
}

import { existsSync, lstatSync, readFileSync } from 'node:fs';

import { replaceFile } from '../platform/replace-file.ts';
import {
  environmentOf,
  FORMAT,
  FORMAT_LINE,
  LAST_LINE,
  type LaunchOptions,
  launchScript,
  UNRECORDED_LINE,
} from './launch-text.ts';
import type { ManagerStart } from './services/service-manager.ts';

/** How a hook starts the daemon: the content of `launch.json`. */
export interface LaunchRecord {
  readonly command: string;
  readonly args: readonly string[];
  /** The environment that a person's command recorded; null where none has run. */
  readonly environment: Readonly<Record<string, string>> | null;
  readonly manager: ManagerStart | null;
}

/**
 * Writes how a hook starts the daemon: `launch` and a spare of it for the shell hook, `launch.json` for the Node hook and
 * for the daemon, which keeps the recorded environment. Only the owner may read them, because the environment may
 * contain secrets. Unchanged files are not written again.
 *
 * @throws if the state directory is not writable
 */
export function writeLaunchScript(options: LaunchOptions): void {
  const launch = `${options.stateDirectory}/launch`;
  const script = launchScript(options);
  keepFile(`${launch}.json`, launchDocument(options), 0o600);
  keepFile(`${launch}.spare`, script, 0o700);
  keepFile(launch, script, 0o700);
}

/** The files with which a hook starts the daemon. */
export function launchFiles(launch: string): readonly string[] {
  return [launch, `${launch}.spare`, `${launch}.json`];
}

function keepFile(path: string, text: string, mode: number): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isSame =
    found?.isFile() === true &&
    // Windows keeps no such modes.
    (process.platform === 'win32' || (found.mode & 0o777) === mode) &&
    readFileSync(path, 'utf8') === text;
  if (!isSame) replaceFile(path, text, { mode, durable: true });
}

function launchDocument(options: LaunchOptions): string {
  const { node, main, args = [], environment } = options;
  const document = {
    format: FORMAT,
    command: node,
    args: [main, ...args],
    environment: environmentOf(options),
    recorded: environment !== null,
    manager: options.manager,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads `launch.json` next to a launch script; null if it is missing, not ours, truncated or of an earlier version. */
export function readLaunchRecord(launch: string): LaunchRecord | null {
  try {
    const path = `${launch}.json`;
    const found = lstatSync(path);
    const uid = process.geteuid?.();
    if (!found.isFile() || (uid !== undefined && found.uid !== uid)) return null;
    const document: unknown = JSON.parse(readFileSync(path, 'utf8'));
    return isDocument(document)
      ? { ...document, environment: document.recorded ? document.environment : null }
      : null;
  } catch {
    return null;
  }
}

interface LaunchDocument extends LaunchRecord {
  readonly environment: Readonly<Record<string, string>>;
  readonly recorded: boolean;
}

function isDocument(value: unknown): value is LaunchDocument {
  if (typeof value !== 'object' || value === null) return false;
  const {
    format,
    command,
    args,
    environment,
    recorded,
    manager,
  }: Partial<Record<string, unknown>> = { ...value };
  return (
    format === FORMAT &&
    typeof command === 'string' &&
    Array.isArray(args) &&
    typeof environment === 'object' &&
    environment !== null &&
    Object.values(environment).every((each) => typeof each === 'string') &&
    typeof recorded === 'boolean' &&
    typeof manager === 'object'
  );
}

/** `outdated`: the daemon gets an agent's environment. `unrecorded`: no command recorded one. */
export type LaunchState = 'ok' | 'missing' | 'truncated' | 'outdated' | 'unrecorded';

/** Checks the content of a launch script. */
export function launchState(launch: string): LaunchState {
  if (!existsSync(launch)) return 'missing';
  const text = readText(launch);
  if (!text.endsWith(`\n${LAST_LINE}\n`)) return 'truncated';
  if (!text.includes(FORMAT_LINE)) return 'outdated';
  return text.includes(UNRECORDED_LINE) ? 'unrecorded' : 'ok';
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, extname, isAbsolute, join, resolve } from 'node:path';

import { busAddress } from './dbus/bus-address.ts';

/** Enough to reach the desktop. The daemon's environment holds secrets: the rest stays here. */
const PASSED_ON = new Set([
  'PATH',
  'HOME',
  'USER',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TMPDIR',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'XDG_CURRENT_DESKTOP',
  'WSL_DISTRO_NAME',
  'WSL_INTEROP',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
]);

/** The environment of the programs that channels run. */
export function childEnvironment(
  platform: NodeJS.Platform,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // Windows accepts variables in any case, such as "Path".
    const isPassedOn = PASSED_ON.has(platform === 'win32' ? name.toUpperCase() : name);
    if (isPassedOn && value !== undefined) passed[name] = value;
  }
  if (platform === 'win32') return passed;
  // Programs trust any address, even one that names a program to run.
  const bus = busAddress(env);
  return bus.ok ? { ...passed, DBUS_SESSION_BUS_ADDRESS: bus.address } : passed;
}

/** Where Homebrew and applications install their programs. */
const MAC_PLACES = [
  '/opt/homebrew/bin',
  '/usr/local/bin',
  '/Applications/kitty.app/Contents/MacOS',
  '/Applications/WezTerm.app/Contents/MacOS',
];

/** The PATH for program lookups: launchd starts services with the system's own, without the places above. */
export function searchPath(platform: NodeJS.Platform, path: string | undefined) {
  if (platform !== 'darwin') return path;
  return [path ?? '/usr/bin:/bin', ...MAC_PLACES].join(':');
}

const DEFAULT_PATH = ['/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);

/**
 * Looks a program up as the shell would, once, so that later runs always use the same file. Relative entries of PATH
 * are skipped: the daemon's current directory must not decide what runs.
 *
 * @param name such as "notify-send" (on Windows ".exe" and ".cmd" are tried), or an absolute path, which is only checked
 * @param path the value of PATH
 * @returns its absolute path, or null where there is none
 */
export async function findProgram(name: string, path = DEFAULT_PATH): Promise<string | null> {
  const places = isAbsolute(name)
    ? [name]
    : path.split(delimiter).map((place) => join(place, name));
  const endings = process.platform === 'win32' && extname(name) === '' ? ['.exe', '.cmd'] : [''];
  for (const place of places.flatMap((one) => endings.map((ending) => one + ending))) {
    if (isAbsolute(place) && (await isExecutableFile(place))) return place;
  }
  return null;
}

async function isExecutableFile(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

/** The absolute path behind an option: "~/" is the home directory; `baseDir` that of the file. */
export function resolvePath(
  path: string,
  { baseDir, env = {} }: { readonly baseDir: string; readonly env?: NodeJS.ProcessEnv },
): string {
  const isAtHome = path === '~' || path.startsWith('~/');
  return isAtHome ? join(env['HOME'] ?? homedir(), path.slice(1)) : resolve(baseDir, path);
}

/** The folder of Windows. */
export function windowsFolder(env: Readonly<Record<string, string | undefined>>): string {
  return env['SystemRoot'] ?? env['SYSTEMROOT'] ?? String.raw`C:\Windows`;
}

/** The path of a program of Windows itself, such as "reg". By its name alone, Windows would look into the current folder first. */
export function windowsProgram(name: string, folder: string): string {
  const home = name === 'powershell' ? ['WindowsPowerShell', 'v1.0'] : [];
  return join(folder, 'System32', ...home, `${name}.exe`);
}

/** The words with which PowerShell runs a script. It accepts it as UTF-16LE in base64, which needs no quotes. */
export function encodedCommand(script: string): readonly string[] {
  const code = Buffer.from(script, 'utf16le').toString('base64');
  return ['-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', code];
}

/** What such a script reads with `[Console]::In.ReadLine() | ConvertFrom-Json`: ASCII only, so that no code page can spoil it. */
export function jsonLine(input: Readonly<Record<string, string | number | boolean>>): string {
  const json = JSON.stringify(input).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${json}\n`;
}

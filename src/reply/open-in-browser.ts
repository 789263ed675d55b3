import { spawn } from 'node:child_process';

import { childEnvironment, findProgram, searchPath } from '../platform/find-program.ts';
import type { Environment } from '../core/launch-environment.ts';

/** The variables by which xdg-open finds the person's browser. */
const BROWSER_VARIABLES = [
  'BROWSER',
  'DESKTOP_SESSION',
  'GNOME_DESKTOP_SESSION_ID',
  'KDE_FULL_SESSION',
  'KDE_SESSION_VERSION',
  'XDG_CONFIG_DIRS',
  'XDG_CONFIG_HOME',
  'XDG_DATA_DIRS',
  'XDG_DATA_HOME',
];

/** A program still running after this time has found a browser, ms: without a desktop xdg-open stays until that is closed. */
const START_MS = 3_000;

/** Opens a file of this machine in the person's browser. Returns null, or why it could not, for people. */
export async function openInBrowser(
  file: string,
  { env, platform }: { readonly env: Environment; readonly platform: NodeJS.Platform },
): Promise<string | null> {
  const name = platform === 'darwin' ? 'open' : 'xdg-open';
  const path = searchPath(platform, env['PATH']);
  const program = await findProgram(name, path);
  if (program === null) return `${name} was not found`;
  const passed: Record<string, string> = { ...childEnvironment(platform, env) };
  for (const variable of BROWSER_VARIABLES) {
    const value = env[variable];
    if (value !== undefined) passed[variable] = value;
  }
  // A browser started by a service would share its memory limits, and end with it.
  const outside =
    env['INVOCATION_ID'] === undefined ? null : await findProgram('systemd-run', path);
  const unit = unitWords([program, file], passed);
  if (outside !== null && (await launch(outside, unit, passed)) === null) return null;
  const trouble = await launch(program, [file], passed);
  return trouble === null ? null : `${name} ${trouble}`;
}

/** A unit of the user's systemd, of which only the main process is ended. */
function unitWords(words: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`);
  const options = ['--user', '--quiet', '--collect', '--wait', '--property=KillMode=process'];
  return [...options, ...variables, '--', ...words];
}

/** Never ends the program it started: that may be the browser itself. */
function launch(
  program: string,
  words: readonly string[],
  env: Record<string, string>,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { env, detached: true, stdio: 'ignore' });
    const timer = setTimeout(resolve, START_MS, null);
    const end = (trouble: string | null): void => {
      clearTimeout(timer);
      resolve(trouble);
    };
    child.once('error', () => end('could not be started'));
    child.once('exit', (code, signal) => end(code === 0 ? null : `ended with ${signal ?? code}`));
    child.unref();
  });
}

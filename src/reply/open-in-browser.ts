import { spawn } from 'node:child_process';

import { childEnvironment, findProgram, searchPath } from '../platform/find-program.ts';
import type { Environment } from '../core/launch-environment.ts';

/** By these xdg-open finds out which browser the person wants. */
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

/** What still runs after so long has found a browser, ms: without a desktop xdg-open stays until that is closed. */
const SETTLE_MS = 3_000;

/** Opens a file of this machine in the browser of the person. Answers null, or why it could not, after the name of the program. */
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
  // A browser that a service starts would share its bounds on memory, and end with it.
  const outside =
    env['INVOCATION_ID'] === undefined ? null : await findProgram('systemd-run', path);
  if (
    outside !== null &&
    (await launch(outside, unitWords([program, file], passed), passed)) === null
  )
    return null;
  const trouble = await launch(program, [file], passed);
  return trouble === null ? null : `${name} ${trouble}`;
}

/** A unit of the user's own systemd, of which nothing but the main process ends. */
function unitWords(words: readonly string[], env: Readonly<Record<string, string>>): string[] {
  const variables = Object.entries(env).map(([name, value]) => `--setenv=${name}=${value}`);
  const options = ['--user', '--quiet', '--collect', '--wait', '--property=KillMode=process'];
  return [...options, ...variables, '--', ...words];
}

/** Never ends what it has started: that may be the browser itself. */
function launch(
  program: string,
  words: readonly string[],
  env: Record<string, string>,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, words, { env, detached: true, stdio: 'ignore' });
    const settled = setTimeout(resolve, SETTLE_MS, null);
    child.once('error', () => {
      clearTimeout(settled);
      resolve('could not be started');
    });
    child.once('exit', (code, signal) => {
      clearTimeout(settled);
      resolve(code === 0 ? null : `ended with ${signal ?? code}`);
    });
    child.unref();
  });
}

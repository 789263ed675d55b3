import { userInfo } from 'node:os';

type Env = Readonly<Record<string, string | undefined>>;

/** Where events go. */
export interface StateDirectory {
  readonly path: string;
  /**
   * Whether the files in it may start a daemon: more than a variable proves that it belongs to the user. A repository
   * can set the variables of an agent.
   */
  readonly mayStart: boolean;
}

/**
 * The state directory of hookbell: the value of `--state`, otherwise the same as `resolvePaths().state`, computed with
 * built-ins only.
 *
 * @param named the value of `--state`; empty: none
 * @throws if it is not an absolute path
 */
export function stateDirectory(
  named: string,
  env: Env,
  platform: NodeJS.Platform,
  home: string,
): StateDirectory {
  if (named !== '') {
    if (absolute(named) === null) throw new Error(`Not an absolute path: "${named}"`);
    return { path: named, mayStart: true };
  }
  const path = fromVariables(env, platform, home);
  return { path, mayStart: path === ownDefault(platform) };
}

function fromVariables(env: Env, platform: NodeJS.Platform, home: string): string {
  const own = absolute(env['HOOKBELL_STATE_DIR']);
  if (own !== null) return own;
  const windows = platform === 'win32' ? absolute(env['LOCALAPPDATA']) : null;
  return below(windows ?? absolute(env['XDG_STATE_HOME']) ?? stateHome(home, platform), platform);
}

/** From the user database, without any variable. */
function ownDefault(platform: NodeJS.Platform): string {
  const { homedir } = userInfo();
  const local = platform === 'win32' ? `${homedir}\\AppData\\Local` : stateHome(homedir, platform);
  return below(local, platform);
}

function stateHome(home: string, platform: NodeJS.Platform): string {
  return [home, '.local', 'state'].join(separatorOf(platform));
}

function below(parent: string, platform: NodeJS.Platform): string {
  return parent + separatorOf(platform) + 'hookbell';
}

function separatorOf(platform: NodeJS.Platform): string {
  return platform === 'win32' ? '\\' : '/';
}

function absolute(path: string | undefined): string | null {
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) ? path : null;
}

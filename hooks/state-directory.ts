import { userInfo } from 'node:os';

type Env = Readonly<Record<string, string | undefined>>;

/** Where events go. */
export interface StateDirectory {
  readonly path: string;
  /**
   * Whether a daemon may be started by what lies in it: more than a variable says that this is the user's. A repository can set
   * the variables of an agent.
   */
  readonly mayStart: boolean;
}

/**
 * Where hookbell keeps its state: the directory of `--state`, else the one that `resolvePaths().state` gives, from
 * built-ins alone.
 *
 * @param named the value of `--state`; empty: none
 * @throws when that is no absolute path
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

/** By what the user database says, and no variable. */
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
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : null;
}

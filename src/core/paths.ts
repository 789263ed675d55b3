/** Paths of hookbell on this machine; all absolute. */
export interface Paths {
  /** Of this user's programs; hookbell's is a folder in it. */
  readonly configHome: string;
  /** Configuration directory of programs that follow the XDG specification on every system. */
  readonly agentConfigHome: string;
  readonly config: string;
  /** A copy of the last configuration that the daemon accepted. */
  readonly lastConfig: string;
  readonly state: string;
  readonly spool: string;
  readonly quarantine: string;
  /** FIFOs of hooks that wait for an answer. */
  readonly asks: string;
  /** Records of the replies sent from here. */
  readonly replies: string;
  readonly database: string;
  readonly pidFile: string;
  readonly log: string;
  /** Ports chosen because the default ones were in use. */
  readonly ports: string;
  readonly pageSessions: string;
  readonly trustedProjects: string;
  /** What an interrupted `hookbell init` asked and got. */
  readonly initAnswers: string;
  readonly machines: string;
  readonly hubPolicy: string;
  /** What was acknowledged here while the hub was away. */
  readonly seen: string;
  /** The script with which a hook starts the daemon. */
  readonly launch: string;
  /** Present while `hookbell stop` holds: no hook starts a daemon. */
  readonly stopped: string;
  /** What the latest daemon wrote to standard error: why it did not start, or how it crashed. Empty while all is well. */
  readonly lastWords: string;
  /** 0700. Not in XDG_RUNTIME_DIR, which cron and `su` lack, and which ends with the session. */
  readonly runtime: string;
  readonly socket: string;
  readonly token: string;
  /** Where `install.sh` puts the program. */
  readonly program: string;
  readonly command: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** By the XDG Base Directory Specification, or APPDATA and LOCALAPPDATA, as the hook does. */
export function resolvePaths(env: Env, platform: NodeJS.Platform, home: string): Paths {
  const separator = platform === 'win32' ? '\\' : '/';
  const join = (...parts: readonly string[]): string => parts.join(separator);
  // The specification says that a relative XDG path is invalid and must be ignored.
  const absolute = (name: string): string | null => {
    const value = env[name];
    if (value === undefined || value === '') return null;
    return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(value) ? value : null;
  };
  const windows = platform === 'win32';
  const agentConfigHome = absolute('XDG_CONFIG_HOME') ?? join(home, '.config');
  const configHome = (windows ? absolute('APPDATA') : null) ?? agentConfigHome;
  const local = windows ? absolute('LOCALAPPDATA') : null;
  const stateHome = local ?? absolute('XDG_STATE_HOME') ?? join(home, '.local', 'state');
  // Beside the state, not in it: an installation replaces the whole folder.
  const programHome = local === null ? join(home, '.local', 'share') : join(local, 'Programs');

  const state = absolute('HOOKBELL_STATE_DIR') ?? join(stateHome, 'hookbell');
  const runtime = join(state, 'run');
  return {
    configHome,
    agentConfigHome,
    config: absolute('HOOKBELL_CONFIG') ?? join(configHome, 'hookbell', 'config.yaml'),
    lastConfig: join(state, 'config.last.yaml'),
    state,
    spool: join(state, 'spool'),
    quarantine: join(state, 'quarantine'),
    asks: join(state, 'asks'),
    replies: join(state, 'replies'),
    database: join(state, 'hookbell.db'),
    pidFile: join(state, 'daemon.pid'),
    log: join(state, 'daemon.log'),
    ports: join(state, 'ports.json'),
    pageSessions: join(state, 'page-sessions.json'),
    trustedProjects: join(state, 'trusted-projects.json'),
    initAnswers: join(state, 'init-answers.json'),
    machines: join(state, 'paired-machines.json'),
    hubPolicy: join(state, 'hub-policy.json'),
    seen: join(state, 'seen.json'),
    launch: join(state, 'launch'),
    stopped: join(state, 'stopped'),
    lastWords: join(state, 'last-words'),
    runtime,
    socket: windows ? pipeName(state) : join(runtime, 'control.sock'),
    token: join(runtime, 'token'),
    program: join(programHome, 'hookbell'),
    command: join(home, '.local', 'bin', windows ? 'hookbell.cmd' : 'hookbell'),
  };
}

/** Pipes of all users share one folder: the state directory makes the name unique (at most 256 characters). */
function pipeName(state: string): string {
  const slug = state.toLowerCase().replace(/[\\/:]+/g, '-');
  return `\\\\.\\pipe\\hookbell-${slug.slice(-200)}`;
}

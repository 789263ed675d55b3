import type { Paths } from './paths.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the file system says of the paths that variables name. */
export interface EnvironmentFacts {
  /** A socket that belongs to this user. */
  readonly isOwnSocket: (path: string) => boolean;
  /** A file or directory that belongs to this user or to root, and that nobody else may write to. */
  readonly isTrusted: (path: string) => boolean;
}

export interface LaunchEnvironmentOptions {
  readonly env: Environment;
  readonly paths: Pick<Paths, 'config' | 'state'>;
  /** The home directory of this user. */
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Names that the configuration refers to by `{ env: NAME }`. */
  readonly secretNames: readonly string[];
  /** What was recorded before; it fills in what `env` lacks of the session and of the secrets. */
  readonly previous: Readonly<Record<string, string>> | null;
  readonly facts: EnvironmentFacts;
}

type Accepts = (value: string, facts: EnvironmentFacts) => boolean;

const isAbsolutePath: Accepts = (value) => /^(?:\/|[A-Za-z]:[\\/])/.test(value);
const isText: Accepts = () => true;
const isWord: Accepts = (value) => /^[\w@.,:+/-]+$/.test(value);
const isTrustedPath: Accepts = (value, facts) =>
  isAbsolutePath(value, facts) && facts.isTrusted(value);
const isSocketPath: Accepts = (value, facts) =>
  isAbsolutePath(value, facts) && facts.isOwnSocket(value);

/** Says which session of which desktop this is; a service manager knows that better than a record. */
const session: Readonly<Record<string, Accepts>> = {
  DISPLAY: (value) => /^[\w.-]*:\d+(?:\.\d+)?$/.test(value),
  WAYLAND_DISPLAY: (value, facts) => /^[\w.-]+$/.test(value) || isSocketPath(value, facts),
  XAUTHORITY: isTrustedPath,
  DBUS_SESSION_BUS_ADDRESS: isBusAddress,
  XDG_RUNTIME_DIR: isTrustedPath,
  XDG_SESSION_TYPE: isWord,
  XDG_CURRENT_DESKTOP: isWord,
  WSL_DISTRO_NAME: isWord,
  WSL_INTEROP: isAbsolutePath,
};

/** Names of the variables that the surroundings of a daemon may say better than the record. */
export const sessionVariables: readonly string[] = Object.keys(session);

const others: Readonly<Record<string, Accepts>> = {
  USER: isWord,
  LOGNAME: isWord,
  LANG: isWord,
  LANGUAGE: isWord,
  TZ: isWord,
  TMPDIR: isAbsolutePath,
  XDG_CONFIG_HOME: isAbsolutePath,
  XDG_STATE_HOME: isAbsolutePath,
  // For programs that keep secrets.
  SSH_AUTH_SOCK: isSocketPath,
  GNUPGHOME: isAbsolutePath,
  PASSWORD_STORE_DIR: isAbsolutePath,
  // Authorities of a company, without which nothing can be sent there. It trusts more than the system does, so the file
  // has to be as safe as the system's.
  NODE_EXTRA_CA_CERTS: isTrustedPath,
  http_proxy: isText,
  https_proxy: isText,
  all_proxy: isText,
  no_proxy: isText,
  HTTP_PROXY: isText,
  HTTPS_PROXY: isText,
  ALL_PROXY: isText,
  NO_PROXY: isText,
};

/** Without these no program starts on Windows, or finds its files. */
const windows = [
  'SYSTEMROOT',
  'WINDIR',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
];

/** What steers programs, and not what they are told: never taken for a secret, whatever the configuration names. */
const steering =
  /^(?:NODE_|LD_|DYLD_|OPENSSL_|SSL_CERT_|MALLOC_|GIO_|GTK_|BASH|UV_|V8_)|^(?:PATH|HOME|ENV|IFS|PS4|SHELLOPTS|PYTHONPATH|PERL5LIB|PERL5OPT|RUBYOPT|HOOKBELL_CONFIG|HOOKBELL_STATE_DIR)$/;

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * The whole environment of a daemon, as `install`, `start` and `restart` record it from the environment of the person who
 * types them. It is an allow-list; what is not valid is left out.
 */
export function launchEnvironment(options: LaunchEnvironmentOptions): Record<string, string> {
  const { env, paths, home, platform, secretNames, previous, facts } = options;
  const recorded: Record<string, string> = {};
  const take = (from: Environment, name: string, accepts: Accepts): void => {
    const value = from[name];
    if (value === undefined || value === '' || /\p{Cc}/u.test(value)) return;
    if (accepts(value, facts)) recorded[name] = value;
  };
  // A restart over ssh or by cron knows no desktop; the one known before is likely to be there still.
  const hasDesktop = env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  for (const [name, accepts] of Object.entries(session)) {
    take(hasDesktop || previous === null ? env : { ...previous, ...env }, name, accepts);
  }
  for (const [name, accepts] of Object.entries(others)) take(env, name, accepts);
  for (const name of Object.keys(env)) if (name.startsWith('LC_')) take(env, name, isWord);
  if (platform === 'win32') for (const name of windows) take(env, name, isText);
  for (const name of secretNames) {
    const value = env[name] ?? previous?.[name];
    if (isSecretName(name) && value !== undefined && !value.includes('\0')) recorded[name] = value;
  }
  return {
    ...recorded,
    HOME: home,
    PATH: platform === 'win32' ? (env['PATH'] ?? '') : safeSearchPath(env['PATH'], facts),
    HOOKBELL_STATE_DIR: paths.state,
    HOOKBELL_CONFIG: paths.config,
  };
}

/** The environment of a daemon where nothing was recorded: where its files are, and nothing a variable says. */
export function unrecordedEnvironment(state: string, home: string): Record<string, string> {
  return { HOME: home, PATH: DEFAULT_PATH, HOOKBELL_STATE_DIR: state };
}

/** The recorded environment with what the surroundings say of the session, if they say so. */
export function withSession(
  recorded: Readonly<Record<string, string>>,
  env: Environment,
  facts: EnvironmentFacts,
): Record<string, string> {
  const merged = { ...recorded };
  for (const [name, accepts] of Object.entries(session)) {
    const value = env[name];
    if (value !== undefined && value !== '' && accepts(value, facts)) merged[name] = value;
  }
  // systemd's; by it the daemon knows that what it starts would end with it.
  const invocation = env['INVOCATION_ID'];
  return invocation === undefined ? merged : { ...merged, INVOCATION_ID: invocation };
}

/**
 * Whether an address of the session bus may be used: one socket of this user, or a name in the abstract namespace. Others
 * make the library that reads them run a program (`unixexec:`) or connect to another machine.
 */
function isBusAddress(value: string, facts: EnvironmentFacts): boolean {
  const [, path] = /^unix:path=(\/[\w./@+-]+)(?:,guid=[\da-f]{32})?$/.exec(value) ?? [];
  if (path !== undefined) return facts.isOwnSocket(path);
  return /^unix:abstract=[\w./@+-]+(?:,guid=[\da-f]{32})?$/.test(value);
}

/** PATH without what belongs to a project, to another user, or to the directory a program happens to be in. */
function safeSearchPath(value: string | undefined, facts: EnvironmentFacts): string {
  const places = (value ?? DEFAULT_PATH).split(':').filter((place) => {
    if (!place.startsWith('/') || /\p{Cc}/u.test(place)) return false;
    return !/\/node_modules\/|\/_npx\//.test(`${place}/`) && facts.isTrusted(place);
  });
  return places.length === 0 ? DEFAULT_PATH : [...new Set(places)].join(':');
}

function isSecretName(name: string): boolean {
  const isKnown = Object.hasOwn(session, name) || Object.hasOwn(others, name);
  return /^[A-Za-z_]\w*$/.test(name) && !isKnown && !steering.test(name);
}

/** Switches the verification of certificates off in every library of Node that reads it. */
const INSECURE = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** Removes what no environment may decide; to be called before anything else. Returns what it removed. */
export function removeUnsafeVariables(env: NodeJS.ProcessEnv): readonly string[] {
  if (env[INSECURE] === undefined) return [];
  const isInsecure = env[INSECURE] === '0';
  delete env[INSECURE];
  return isInsecure ? [INSECURE] : [];
}

import type { Paths } from './paths.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentFacts {
  /** A socket that belongs to this user. */
  readonly isOwnSocket: (path: string) => boolean;
  /** A file or directory that belongs to this user or to root, and that no other user may write to. */
  readonly isTrusted: (path: string) => boolean;
}

export interface LaunchEnvironmentOptions {
  readonly env: Environment;
  readonly paths: Pick<Paths, 'config' | 'state'>;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Names that the configuration refers to by `{ env: NAME }`. */
  readonly secretNames: readonly string[];
  /** The earlier record, used for session variables and secrets missing in `env`. */
  readonly previous: Readonly<Record<string, string>> | null;
  readonly facts: EnvironmentFacts;
}

type Accepts = (value: string, facts: EnvironmentFacts) => boolean;

const isAbsolutePath: Accepts = (value) => /^(?:\/(?![\\/])|[A-Za-z]:[\\/])/.test(value);
const isText: Accepts = () => true;
const isWord: Accepts = (value) => /^[\w@.,:+/-]+$/.test(value);
const isTrustedPath: Accepts = (value, facts) =>
  isAbsolutePath(value, facts) && facts.isTrusted(value);
const isSocketPath: Accepts = (value, facts) =>
  isAbsolutePath(value, facts) && facts.isOwnSocket(value);

/** Variables that identify the desktop session; a service manager knows them better than a record. */
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

/** Variables that the daemon's environment may know better than the record. */
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
  // A company's certificate authorities, without which nothing can be sent there. The file extends the system's trust,
  // so it has to be as safe as the system's.
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

/** Required on Windows to find files. */
const windows = 'PATHEXT TEMP TMP USERNAME USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA'.split(' ');

/** Variables that control programs: never used as a secret, whatever the configuration names. */
const steering =
  /^(?:NODE_|LD_|DYLD_|OPENSSL_|SSL_CERT_|MALLOC_|GIO_|GTK_|BASH|UV_|V8_)|^(?:PATH|HOME|ENV|IFS|PS4|SHELLOPTS|PYTHONPATH|PERL5LIB|PERL5OPT|RUBYOPT|HOOKBELL_CONFIG|HOOKBELL_STATE_DIR)$/;

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** The whole environment of a daemon, from its caller's; invalid values are omitted. */
export function launchEnvironment(options: LaunchEnvironmentOptions): Record<string, string> {
  const { env, paths, home, platform, secretNames, previous, facts } = options;
  const recorded: Record<string, string> = {};
  const take = (from: Environment, name: string, accepts: Accepts): void => {
    const value = from[name];
    if (value === undefined || value === '' || /\p{Cc}/u.test(value)) return;
    if (accepts(value, facts)) recorded[name] = value;
  };
  // A restart over ssh or by cron has no desktop variables; the recorded desktop probably still exists.
  const hasDesktop = env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined;
  for (const [name, accepts] of Object.entries(session)) {
    take(hasDesktop ? env : { ...previous, ...env }, name, accepts);
  }
  for (const [name, accepts] of Object.entries(others)) take(env, name, accepts);
  for (const name of Object.keys(env)) if (name.startsWith('LC_')) take(env, name, isWord);
  if (platform === 'win32') {
    for (const name of windows) take(env, name, isText);
    const named = /^[a-z]:\\win(?:dows|nt)$/i.exec(env['SYSTEMROOT'] ?? '');
    const folder = named?.[0] ?? String.raw`C:\Windows`;
    // Node would pass on those of its parent that are missing.
    const own = { SYSTEMROOT: folder, WINDIR: folder, COMSPEC: `${folder}\\System32\\cmd.exe` };
    Object.assign(recorded, own);
  }
  for (const name of secretNames) {
    const value = env[name] ?? previous?.[name];
    if (isSecretName(name) && value !== undefined && !value.includes('\0')) recorded[name] = value;
  }
  return {
    ...recorded,
    HOME: home,
    PATH: safeSearchPath(env['PATH'], platform, facts),
    HOOKBELL_STATE_DIR: paths.state,
    HOOKBELL_CONFIG: paths.config,
  };
}

/** The environment of a daemon without a record: only the location of its files. */
export function unrecordedEnvironment(state: string, home: string): Record<string, string> {
  return { HOME: home, PATH: DEFAULT_PATH, HOOKBELL_STATE_DIR: state };
}

/** The recorded environment, updated with session variables of the current one. */
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
  // Set by systemd; shows the daemon that its child processes would end with it.
  const invocation = env['INVOCATION_ID'];
  return invocation === undefined ? merged : { ...merged, INVOCATION_ID: invocation };
}

/** One socket of this user, or an abstract name: others run a program or reach another machine. */
function isBusAddress(value: string, facts: EnvironmentFacts): boolean {
  const [, path] = /^unix:path=(\/[\w./@+-]+)(?:,guid=[\da-f]{32})?$/.exec(value) ?? [];
  if (path !== undefined) return facts.isOwnSocket(path);
  return /^unix:abstract=[\w./@+-]+(?:,guid=[\da-f]{32})?$/.test(value);
}

/** PATH without directories of a project, of another user, or relative to the working directory. */
function safeSearchPath(
  value: string | undefined,
  platform: NodeJS.Platform,
  facts: EnvironmentFacts,
): string {
  const isWindows = platform === 'win32';
  const separator = isWindows ? ';' : ':';
  const usual = isWindows ? String.raw`C:\Windows\System32` : DEFAULT_PATH;
  const places = (value ?? usual).split(separator).filter((place) => {
    const isAbsolute = isWindows ? /^[a-z]:[\\/]/i.test(place) : place.startsWith('/');
    if (!isAbsolute || /\p{Cc}/u.test(place)) return false;
    return !/[\\/](?:node_modules|_npx)[\\/]/.test(`${place}/`) && facts.isTrusted(place);
  });
  return places.length === 0 ? usual : [...new Set(places)].join(separator);
}

function isSecretName(name: string): boolean {
  const isKnown = Object.hasOwn(session, name) || Object.hasOwn(others, name);
  return /^[A-Za-z_]\w*$/.test(name) && !isKnown && !steering.test(name);
}

/** Disables certificate verification in every Node library that reads it. */
const INSECURE = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** The variables that `removeUnsafeVariables` removes. */
export function unsafeVariables(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
  const value = env[INSECURE];
  return value === undefined ? {} : { [INSECURE]: value };
}

/** Removes variables that no environment may set; call it before anything else. Returns the removed ones. */
export function removeUnsafeVariables(env: NodeJS.ProcessEnv): readonly string[] {
  if (env[INSECURE] === undefined) return [];
  const isInsecure = env[INSECURE] === '0';
  delete env[INSECURE];
  return isInsecure ? [INSECURE] : [];
}

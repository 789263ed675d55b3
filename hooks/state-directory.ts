/** Where hookbell keeps its state: the same answer as `resolvePaths().state` gives, from built-ins alone. */
export function stateDirectory(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
  home: string,
): string {
  const separator = platform === 'win32' ? '\\' : '/';
  const own = absolute(env['HOOKBELL_STATE_DIR']);
  if (own !== null) return own;
  const parent =
    (platform === 'win32' ? absolute(env['LOCALAPPDATA']) : null) ??
    absolute(env['XDG_STATE_HOME']) ??
    [home, '.local', 'state'].join(separator);
  return parent + separator + 'hookbell';
}

function absolute(path: string | undefined): string | null {
  return path !== undefined && /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : null;
}

/** Where Homebrew and applications keep their programs. */
const MAC_PLACES = [
  '/opt/homebrew/bin',
  '/usr/local/bin',
  '/Applications/kitty.app/Contents/MacOS',
  '/Applications/WezTerm.app/Contents/MacOS',
];

/** The PATH to look programs up on: launchd starts services with the system's own, without the places above. */
export function searchPath(
  platform: NodeJS.Platform,
  path: string | undefined,
): string | undefined {
  if (platform !== 'darwin') return path;
  return [path ?? '/usr/bin:/bin', ...MAC_PLACES].join(':');
}

import { busAddress } from '../../dbus/address.ts';

/** All that a program needs, also to reach the desktop. The daemon's environment holds secrets: nothing else is passed on. */
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
    // Windows knows its variables in any case, such as "Path".
    const known = PASSED_ON.has(platform === 'win32' ? name.toUpperCase() : name);
    if (known && value !== undefined) passed[name] = value;
  }
  if (platform === 'win32') return passed;
  // Programs believe any address, such as one that names a program to run.
  const bus = busAddress(env);
  return bus.ok ? { ...passed, DBUS_SESSION_BUS_ADDRESS: bus.address } : passed;
}

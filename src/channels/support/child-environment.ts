import { statSync } from 'node:fs';
import { join } from 'node:path';

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
  'DBUS_SESSION_BUS_ADDRESS',
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
  if (platform === 'linux' && passed['DBUS_SESSION_BUS_ADDRESS'] === undefined) {
    const socket = userBusSocket(passed['XDG_RUNTIME_DIR']);
    if (socket !== null) passed['DBUS_SESSION_BUS_ADDRESS'] = `unix:path=${socket}`;
  }
  return passed;
}

/** Where systemd puts the user's bus: a service, cron or an ssh login finds it there without being told. */
function userBusSocket(runtimeDir: string | undefined): string | null {
  const uid = process.geteuid?.();
  const path = join(runtimeDir ?? `/run/user/${uid}`, 'bus');
  try {
    const socket = statSync(path);
    return socket.isSocket() && socket.uid === uid ? path : null;
  } catch {
    return null;
  }
}

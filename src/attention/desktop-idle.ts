import type { Ask, MachineSource } from './presence.ts';

/** With input this recent, the person is present. */
const HERE_MS = 60_000;
/** Without input for this long, the person is away. In between, presence is unknown. */
const AWAY_MS = 180_000;

/**
 * Time since the last keyboard or mouse input. The GetSessionIdleTime of org.freedesktop.ScreenSaver is not used: some
 * desktops return it in seconds and some in ms.
 */
export function idleTime(ask: Ask, platform: NodeJS.Platform): MachineSource {
  const looks: Partial<Record<NodeJS.Platform, () => Promise<number | null>>> = {
    linux: async () => (await idleOnGnome(ask)) ?? (await idleOnX11(ask)),
    darwin: () => idleOnMac(ask),
  };
  return {
    name: 'idle time',
    async look() {
      const idleMs = (await looks[platform]?.()) ?? null;
      if (idleMs === null) return null;
      return { isPresent: isHere(idleMs), detail: `idle for ${Math.round(idleMs / 1_000)} s` };
    },
  };
}

function isHere(idleMs: number): boolean | null {
  if (idleMs < HERE_MS) return true;
  return idleMs > AWAY_MS ? false : null;
}

/** In ms: https://gitlab.gnome.org/GNOME/mutter/-/blob/main/data/dbus-interfaces/org.gnome.Mutter.IdleMonitor.xml */
async function idleOnGnome(ask: Ask): Promise<number | null> {
  const monitor = 'org.gnome.Mutter.IdleMonitor';
  const path = '/org/gnome/Mutter/IdleMonitor/Core';
  const answer = await ask('busctl', busCall(monitor, path, 'GetIdletime'));
  const ms = /^t (\d+)\s*$/.exec(answer ?? '')?.[1];
  return ms === undefined ? null : Number(ms);
}

/** In ms: https://github.com/g0hl1n/xprintidle */
async function idleOnX11(ask: Ask): Promise<number | null> {
  const answer = await ask('xprintidle', []);
  const ms = /^(\d+)\s*$/.exec(answer ?? '')?.[1];
  return ms === undefined ? null : Number(ms);
}

/** In ns, of all input devices together. */
async function idleOnMac(ask: Ask): Promise<number | null> {
  const registry = await ask('ioreg', ['-r', '-c', 'IOHIDSystem', '-d', '1']);
  const ns = /"HIDIdleTime"\s*=\s*(\d+)/.exec(registry ?? '')?.[1];
  return ns === undefined ? null : Number(ns) / 1_000_000;
}

/** Arguments of busctl: a method without parameters, on the user's bus. The call must not start a service. */
export function busCall(service: string, path: string, method: string): readonly string[] {
  return ['--user', '--auto-start=no', 'call', service, path, service, method];
}

/** Arguments of busctl: a property of a session, from the log-in manager. */
export function busProperty(object: string, property: string): readonly string[] {
  return [
    '--system',
    '--auto-start=no',
    'get-property',
    'org.freedesktop.login1',
    `/org/freedesktop/login1/${object}`,
    'org.freedesktop.login1.Session',
    property,
  ];
}

const busScreenSavers = ['freedesktop', 'gnome'];

/** Whether the screen is locked. A locked one means absence; an unlocked one proves no presence. */
export function screenLock(ask: Ask, platform: NodeJS.Platform): MachineSource {
  const looks: Partial<Record<NodeJS.Platform, () => Promise<boolean | null>>> = {
    linux: () => lockedOnLinux(ask),
    darwin: () => lockedOnMac(ask),
  };
  return {
    name: 'screen lock',
    async look() {
      const locked = (await looks[platform]?.()) ?? null;
      if (locked === null) return null;
      return locked
        ? { isPresent: false, detail: 'locked' }
        : { isPresent: null, detail: 'not locked' };
    },
  };
}

/** Each desktop answers some of these; one without a lock returns "false" or nothing. */
async function lockedOnLinux(ask: Ask): Promise<boolean | null> {
  const answers = await Promise.all([
    // https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html#Session%20Objects
    ask('busctl', busProperty('session/auto', 'LockedHint')),
    ...busScreenSavers.map((vendor) =>
      ask(
        'busctl',
        busCall(`org.${vendor}.ScreenSaver`, `/org/${vendor}/ScreenSaver`, 'GetActive'),
      ),
    ),
  ]);
  const flags = answers.map((answer) => /^b (true|false)\s*$/.exec(answer ?? '')?.[1]);
  if (flags.includes('true')) return true;
  return flags.includes('false') ? false : null;
}

/** The window server records the lock beside each console user in the registry's root, and only while it is active. */
async function lockedOnMac(ask: Ask): Promise<boolean | null> {
  const root = await ask('ioreg', ['-n', 'Root', '-d', '1']);
  if (root === null || !root.includes('IOConsoleUsers')) return null;
  return /"CGSSessionScreenIsLocked"\s*=\s*Yes/.test(root);
}

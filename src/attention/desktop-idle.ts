import type { AskBus } from '../platform/dbus/ask-bus.ts';
import type { BusValue } from '../platform/dbus/bus-values.ts';
import type { Ask, MachineSource } from './presence.ts';
import type { windowsDesktop } from './windows-desktop.ts';

export interface DesktopSources {
  readonly platform: NodeJS.Platform;
  readonly ask: Ask;
  readonly askBus: AskBus;
  /** Absent: this is not Windows. */
  readonly onWindows?: ReturnType<typeof windowsDesktop>;
}

/** With input this recent, the person is present. */
const HERE_MS = 60_000;
/** Without input for this long, the person is away. In between, presence is unknown. */
const AWAY_MS = 180_000;

/** Time since the last input. ScreenSaver's GetSessionIdleTime is in seconds on some desktops and in ms on others. */
export function idleTime({ platform, ask, askBus, onWindows }: DesktopSources): MachineSource {
  const looks: Partial<Record<NodeJS.Platform, () => Promise<number | null>>> = {
    linux: async () => (await idleOnGnome(askBus)) ?? (await idleOnX11(ask)),
    darwin: () => idleOnMac(ask),
    win32: async () => (await onWindows?.())?.idleMs ?? null,
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
async function idleOnGnome(askBus: AskBus): Promise<number | null> {
  const monitor = 'org.gnome.Mutter.IdleMonitor';
  const path = '/org/gnome/Mutter/IdleMonitor/Core';
  const call = { destination: monitor, path, interface: monitor, member: 'GetIdletime' };
  const ms = await askBus('session', call);
  return typeof ms === 'bigint' ? Number(ms) : null;
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

/** Whether the screen is locked. A locked one means absence; an unlocked one proves no presence. */
export function screenLock({ platform, ask, askBus, onWindows }: DesktopSources): MachineSource {
  const looks: Partial<Record<NodeJS.Platform, () => Promise<boolean | null>>> = {
    linux: () => lockedOnLinux(askBus, ask),
    darwin: () => lockedOnMac(ask),
    win32: async () => (await onWindows?.())?.locked ?? null,
  };
  return {
    name: 'screen lock',
    async look() {
      const locked = (await looks[platform]?.()) ?? null;
      if (locked === null) return null;
      return { isPresent: locked ? false : null, detail: locked ? 'locked' : 'not locked' };
    },
  };
}

/** Programs that run while they lock the screen of a desktop that has no service for it, such as sway or i3. */
const LOCKERS = 'swaylock|hyprlock|gtklock|waylock|i3lock|xsecurelock|xtrlock';

/** Each desktop answers some of these; one without a lock returns false or nothing. */
async function lockedOnLinux(askBus: AskBus, ask: Ask): Promise<boolean | null> {
  const locker = ask('pgrep', ['-u', String(process.getuid?.()), '-x', LOCKERS]);
  const answers = await Promise.all([
    // https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html#Session%20Objects
    askBus('system', {
      destination: 'org.freedesktop.login1',
      path: '/org/freedesktop/login1/session/auto',
      interface: 'org.freedesktop.DBus.Properties',
      member: 'Get',
      signature: 'ss',
      body: ['org.freedesktop.login1.Session', 'LockedHint'],
    }).then(valueOf),
    ...['freedesktop', 'gnome'].map((vendor) => {
      const name = `org.${vendor}.ScreenSaver`;
      const path = `/org/${vendor}/ScreenSaver`;
      return askBus('session', { destination: name, path, interface: name, member: 'GetActive' });
    }),
  ]);
  if (answers.includes(true) || (await locker) !== null) return true;
  return answers.includes(false) ? false : null;
}

function valueOf(answer: BusValue | null): BusValue | null {
  return typeof answer === 'object' && answer !== null && 'signature' in answer
    ? answer.value
    : null;
}

/** The registry's root lists the sessions of all users, each with its lock while that is active. Another one's on the screen locks ours. */
async function lockedOnMac(ask: Ask): Promise<boolean | null> {
  const root = await ask('ioreg', ['-n', 'Root', '-d', '1']);
  if (root === null || !root.includes('IOConsoleUsers')) return null;
  const ours = new RegExp(`"kCGSSessionUserIDKey"\\s*=\\s*${process.getuid?.()}\\b`);
  return (root.match(/\{[^{}]*"kCGSSessionUserIDKey"[^{}]*\}/g) ?? []).some((session) =>
    ours.test(session)
      ? /"(CGSSessionScreenIsLocked"\s*=\s*Yes|kCGSSessionOnConsoleKey"\s*=\s*No)/.test(session)
      : /"kCGSSessionOnConsoleKey"\s*=\s*Yes/.test(session),
  );
}

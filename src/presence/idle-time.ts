import { busCall } from './bus.ts';
import type { Ask, MachineSource } from './source.ts';

/** Whoever typed or moved the mouse within this time is here. */
const HERE_MS = 60_000;
/** Whoever did neither for so long is not. In between nobody can say. */
const AWAY_MS = 180_000;

/**
 * How long nothing was typed or pointed at. The GetSessionIdleTime of org.freedesktop.ScreenSaver is not asked: some
 * desktops answer it in seconds and some in ms.
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
      return { here: isHere(idleMs), detail: `idle for ${Math.round(idleMs / 1_000)} s` };
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

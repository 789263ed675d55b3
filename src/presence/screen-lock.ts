import { busProperty, busCall } from './bus.ts';
import type { Ask, MachineSource } from './source.ts';

const busScreenSavers = ['freedesktop', 'gnome'];

/** Whether the screen is locked. Nobody works at a locked one; at an unlocked one there may be nobody either. */
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
      return locked ? { here: false, detail: 'locked' } : { here: null, detail: 'not locked' };
    },
  };
}

/** Each desktop answers some of these; one that knows nothing of a lock says "false" or nothing at all. */
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

/** The window server notes the lock beside each console user in the registry's root, and only while it holds. */
async function lockedOnMac(ask: Ask): Promise<boolean | null> {
  const root = await ask('ioreg', ['-n', 'Root', '-d', '1']);
  if (root === null || !root.includes('IOConsoleUsers')) return null;
  return /"CGSSessionScreenIsLocked"\s*=\s*Yes/.test(root);
}

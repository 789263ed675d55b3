import { BUS, type MethodCall } from '../../platform/dbus/bus-connection.ts';
import type { BusMessage } from '../../platform/dbus/bus-message.ts';
import type { BusValue } from '../../platform/dbus/bus-values.ts';
import type { Programs, Urgency } from './backend.ts';
import { busCall, NOTIFIER, OBJECT, serverCall, type ServerLink } from './server-link.ts';

/** Which pop-ups a notification server does not show now. */
type Hidden = 'none' | 'all' | 'not-critical';

type AskServer = (call: MethodCall) => Promise<BusValue | null>;

interface Mode {
  /** The server's name in `GetServerInformation`; null: any other. */
  readonly server: string | null;
  readonly read: (ask: AskServer, programs: Programs, signal: AbortSignal) => Promise<Hidden>;
}

const property = (face: string, name: string): MethodCall => ({
  destination: NOTIFIER,
  path: OBJECT,
  interface: `${BUS}.Properties`,
  member: 'Get',
  signature: 'ss',
  body: [face, name],
});

/** Unless stated otherwise, read from the running server: dunst 1.9, xfce4-notifyd 0.7, SwayNotificationCenter 0.11. */
const modes: readonly Mode[] = [
  {
    server: 'dunst',
    async read(ask) {
      if (variantOf(await ask(property('org.dunstproject.cmd0', 'paused'))) !== true) return 'none';
      // Since 1.10: below 100, what a rule lets through is shown, by default the critical ones
      // (https://dunst-project.org/documentation/dunst, override_pause_level).
      const level = variantOf(await ask(property('org.dunstproject.cmd0', 'pauseLevel')));
      return typeof level === 'number' && level < 100 ? 'not-critical' : 'all';
    },
  },
  {
    server: 'Xfce Notify Daemon',
    async read(ask) {
      const place = { destination: 'org.xfce.Xfconf', path: '/org/xfce/Xfconf' };
      const asked = { interface: 'org.xfce.Xfconf', member: 'GetProperty', signature: 'ss' };
      const body = ['xfce4-notifyd', '/do-not-disturb'];
      return notCriticalIf(variantOf(await ask({ ...place, ...asked, body })) === true);
    },
  },
  {
    server: 'SwayNotificationCenter',
    async read(ask) {
      const name = 'org.erikreider.swaync.cc';
      const place = { destination: name, path: '/org/erikreider/swaync/cc', interface: name };
      const answers = await Promise.all(
        ['GetDnd', 'IsInhibited'].map((member) => ask({ ...place, member })),
      );
      return notCriticalIf(answers.includes(true));
    },
  },
  {
    // https://gitlab.gnome.org/GNOME/gsettings-desktop-schemas, org.gnome.desktop.notifications
    server: 'gnome-shell',
    async read(_, programs, signal) {
      const gsettings = await programs.find('gsettings');
      if (gsettings === null) return 'none';
      const words = ['get', 'org.gnome.desktop.notifications', 'show-banners'];
      const { ok, stdout } = await programs.ask(gsettings, words, { signal });
      return notCriticalIf(ok && stdout.trim() === 'false');
    },
  },
  {
    // KDE Plasma shows critical ones unless that is switched off (https://invent.kde.org/plasma/plasma-workspace, libnotificationmanager).
    server: null,
    read: async (ask) =>
      notCriticalIf(variantOf(await ask(property(NOTIFIER, 'Inhibited'))) === true),
  },
];

const REASON = '"do not disturb" is on';

/** Signals after which a mode may be over. A forged one has the mode read again. */
const CHANGES = [
  { interface: `${BUS}.Properties`, rule: `path='${OBJECT}',member='PropertiesChanged'` },
  { interface: 'org.xfce.Xfconf', rule: "member='PropertyChanged',arg0='xfce4-notifyd'" },
  { interface: 'org.erikreider.swaync.cc', rule: '' },
  { interface: 'ca.desrt.dconf.Writer', rule: "member='Notify'" },
];

/** Nothing is watched before a pop-up was hidden. @param onOver called when a mode that has hidden a pop-up is over */
export function createDoNotDisturb(programs: Programs, closing: AbortSignal, onOver: () => void) {
  const watched = new WeakSet<ServerLink>();
  let hasHidden = false;

  async function read({ connection }: ServerLink, signal: AbortSignal): Promise<Hidden> {
    const ask: AskServer = async (call) => {
      const options = { timeoutMs: programs.askMs, signal };
      const reply = await connection.call({ ...call, noAutoStart: true }, options);
      return reply.type === 'answer' ? (reply.body[0] ?? null) : null;
    };
    const name = await ask(serverCall('GetServerInformation'));
    // A server that hangs must leave time for the other backends.
    if (name === null) return 'none';
    const mode = modes.find(({ server }) => server === null || server === name);
    return mode === undefined ? 'none' : mode.read(ask, programs, signal);
  }

  async function watch(link: ServerLink): Promise<void> {
    if (watched.has(link)) return;
    watched.add(link);
    const options = { timeoutMs: programs.askMs, signal: closing };
    for (const { interface: face, rule } of CHANGES) {
      const words = `type='signal',interface='${face}'${rule === '' ? '' : `,${rule}`}`;
      await busCall(link.connection, 'AddMatch', [words], options);
    }
  }

  async function lookAgain(link: ServerLink): Promise<void> {
    if ((await read(link, closing)) !== 'none' || !hasHidden) return;
    hasHidden = false;
    onOver();
  }

  return {
    /** Why a pop-up would not be shown now; null: it would. @param urgency null: whether any would be hidden */
    async hides(
      link: ServerLink,
      urgency: Urgency | null,
      signal: AbortSignal,
    ): Promise<string | null> {
      const hidden = await read(link, signal);
      if (hidden === 'none' || (hidden === 'not-critical' && urgency === 'critical')) return null;
      if (urgency === null) return REASON;
      hasHidden = true;
      await watch(link);
      // It may have ended before the watch began.
      return (await read(link, signal)) === 'none' ? null : REASON;
    },
    /** Takes a signal that is not the server's own. */
    onSignal(link: ServerLink, { interface: face }: BusMessage): void {
      if (!hasHidden || !CHANGES.some((change) => change.interface === face)) return;
      void lookAgain(link);
    },
  };
}

function notCriticalIf(isOn: boolean): Hidden {
  return isOn ? 'not-critical' : 'none';
}

function variantOf(value: BusValue | null): BusValue | null {
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : null;
}

import type { Session } from '../core/session.ts';
import type { Ask, TerminalSource } from './presence.ts';

/** Classes of terminals that show one session per window. One with tabs may have the focus and show another session. */
const WITHOUT_TABS: ReadonlySet<string> = new Set(['XTerm', 'UXTerm', 'Alacritty', 'st-256color']);

/** Prints `_NET_ACTIVE_WINDOW(WINDOW) = 0x2a`. */
const ACTIVE_WINDOW = ['-root', '32x', ' = $0\\n', '_NET_ACTIVE_WINDOW'];

/** Detects focus by WINDOWID and the active window (specifications.freedesktop.org/wm-spec, "Root Window Properties"). */
export function x11Focus(ask: Ask): TerminalSource {
  return {
    name: 'X11 focus',
    seesFocusAlone: true,
    async watched(sessions) {
      const placed = sessions.filter(hasOwnWindow);
      if (placed.length === 0) return [];
      const active = windowIn(await ask('xprop', ACTIVE_WINDOW));
      const keys = placed
        .filter(({ facts }) => Number(facts.windowid) === active)
        .map(({ key }) => key);
      if (active === null || keys.length === 0) return [];
      const answer = await ask('xprop', ['-id', String(active), 'WM_CLASS']);
      // The second name, as in `WM_CLASS(STRING) = "xterm", "XTerm"`.
      const [, name = ''] = /"([^"]*)"\s*$/.exec(answer ?? '') ?? [];
      return WITHOUT_TABS.has(name) ? keys : [];
    },
    async check() {
      const window = windowIn(await ask('xprop', ACTIVE_WINDOW));
      return window === null
        ? null
        : 'for terminals without tabs, while the idle time says that you are here';
    },
  };
}

/** In tmux and over ssh the variable names a window of another time or machine. */
function hasOwnWindow({ facts }: Session): boolean {
  const isElsewhere = facts.tmux !== undefined || facts.ssh !== undefined;
  return !isElsewhere && /^[1-9]\d*$/.test(facts.windowid ?? '');
}

/** Null if no window is active, or the active one is unknown. */
function windowIn(answer: string | null): number | null {
  const number = Number(/ = (0x[0-9a-f]+)/.exec(answer ?? '')?.[1] ?? 0);
  return number === 0 ? null : number;
}

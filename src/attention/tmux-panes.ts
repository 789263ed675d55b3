import { type TmuxPaneState, tmuxServer } from '../platform/tmux.ts';
import { runsInTmux, type TmuxPane, tmuxPaneOf } from '../core/facts.ts';
import type { Session } from '../core/session.ts';
import type { Clock } from '../platform/time.ts';
import type { Ask, TerminalSource } from './presence.ts';

/** Returns the keys of the sessions whose tmux pane is certainly gone, or runs another program now. */
export type GonePanes = (sessions: readonly Session[]) => Promise<ReadonlySet<string>>;

interface Seen {
  readonly at: number;
  readonly place: string;
  /** The first process in the pane. */
  readonly pid: string;
}

/** A server that does not respond, and variables that may be inherited from tmux, give no result. */
export function tmuxPaneLife(ask: Ask, now: Clock): GonePanes {
  const seen = new Map<string, Seen>();

  function isGone(
    { key, socket, serverPid, pane }: SessionPane,
    lastEventAt: number,
    panes: readonly TmuxPaneState[],
  ): boolean {
    const found = panes.find((one) => one.serverPid === serverPid && one.id === pane);
    if (found === undefined || found.isDead) return true;
    const { pid } = found;
    const place = [socket, serverPid, pane].join();
    const before = seen.get(key);
    // Only a check after the session's last event shows that another program followed it.
    const isOther = before?.place === place && before.at > lastEventAt && before.pid !== pid;
    if (!isOther) seen.set(key, { at: now(), place, pid });
    return isOther;
  }

  return async (sessions) => {
    const lastEventAt = new Map(sessions.map((session) => [session.key, session.lastEventAt]));
    for (const key of seen.keys()) if (!lastEventAt.has(key)) seen.delete(key);
    const places = sessions
      .filter(({ facts }) => runsInTmux(facts))
      .flatMap((session) => paneOf(session) ?? []);
    const sockets = [...new Set(places.map(({ socket }) => socket))];
    const panesOf = new Map(
      await Promise.all(
        sockets.map(async (socket) => [socket, await tmuxServer(ask, socket).panes()] as const),
      ),
    );
    const gone = places.filter((place) => {
      const panes = panesOf.get(place.socket) ?? null;
      return panes !== null && isGone(place, lastEventAt.get(place.key) ?? 0, panes);
    });
    return new Set(gone.map(({ key }) => key));
  };
}

interface SessionPane extends TmuxPane {
  readonly key: string;
}

/** Null outside of tmux. */
export function paneOf({ key, facts }: Session): SessionPane | null {
  const pane = tmuxPaneOf(facts);
  return pane === null ? null : { key, ...pane };
}

/** A terminal that does not report focus counts as focused forever, so recent input is required too, ms. */
const TYPED_MS = 60_000;

/** Whether a session's tmux pane is the active one of a client whose terminal has the focus, by tmux(1). */
export function tmuxFocus(ask: Ask, now: Clock): TerminalSource {
  /** Panes that a person certainly looks at. */
  async function focusedPanes(socket: string): Promise<ReadonlySet<string>> {
    const clients = await tmuxServer(ask, socket).clients();
    const focused = clients.filter(
      ({ hasFocus, lastInputAt }) => hasFocus && now() - lastInputAt < TYPED_MS,
    );
    return new Set(focused.map(({ pane }) => pane));
  }

  return {
    name: 'tmux focus',
    seesFocusAlone: false,
    async watched(sessions) {
      const places = sessions.flatMap((session) => paneOf(session) ?? []);
      const sockets = [...new Set(places.map(({ socket }) => socket))];
      const panesOf = new Map(
        await Promise.all(
          sockets.map(async (socket) => [socket, await focusedPanes(socket)] as const),
        ),
      );
      return places
        .filter(({ socket, pane }) => panesOf.get(socket)?.has(pane) === true)
        .map(({ key }) => key);
    },
    async check() {
      const version = await ask('tmux', ['-V']);
      return version === null ? null : `${version.trim()}, where its option "focus-events" is on`;
    },
  };
}

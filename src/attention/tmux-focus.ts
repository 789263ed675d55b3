import { tmuxServer } from '../platform/tmux.ts';
import type { Clock } from '../platform/time.ts';
import type { Ask, TerminalSource } from './presence.ts';
import { paneOf } from './tmux-panes.ts';

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

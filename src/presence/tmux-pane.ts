import type { Session } from '../core/session.ts';

/** Where in tmux the hook of a session ran. */
export interface TmuxPane {
  /** The key of the session. */
  readonly key: string;
  readonly socket: string;
  /** The process of the tmux server, by its own count. */
  readonly serverPid: string;
  /** Such as "%3": never used again by the same server. */
  readonly pane: string;
}

/** TMUX holds the server's socket, its process id and the session, with commas between. Null outside of tmux. */
export function paneOf({ key, facts }: Session): TmuxPane | null {
  const [, socket, serverPid] = /^(\/.*),(\d+),\d+$/.exec(facts.tmux ?? '') ?? [];
  const pane = /^%\d+$/.exec(facts.tmux_pane ?? '')?.[0];
  if (socket === undefined || serverPid === undefined || pane === undefined) return null;
  return { key, socket, serverPid, pane };
}

import type { HookFacts } from './facts.ts';

/** A pane of a tmux server. */
export interface TmuxPane {
  /** The server's socket, an absolute path. */
  readonly socket: string;
  /** The process of the server, by its own count. */
  readonly serverPid: string;
  /** Such as "%3": never used again by the same server. */
  readonly pane: string;
}

/** TMUX holds the server's socket, its process id and the session, with commas between. Null outside of tmux. */
export function tmuxPaneOf(facts: HookFacts): TmuxPane | null {
  const [, socket, serverPid] = /^(\/.*),(\d+),\d+$/.exec(facts.tmux ?? '') ?? [];
  const pane = /^%\d+$/.exec(facts.tmux_pane ?? '')?.[0];
  if (socket === undefined || serverPid === undefined || pane === undefined) return null;
  return { socket, serverPid, pane };
}

/** An editor that was started in a pane hands the variables of tmux on to its own terminals, and outlives the pane. */
export function runsInTmux(facts: HookFacts): boolean {
  return facts.term_program === undefined || facts.term_program === 'tmux';
}

import type { Session } from '../core/session.ts';
import type { TmuxPane } from '../core/tmux-pane.ts';
import { tmuxPaneOf } from '../core/tmux-pane.ts';

/** Where in tmux the hook of a session ran. */
export interface SessionPane extends TmuxPane {
  /** The key of the session. */
  readonly key: string;
}

/** Null outside of tmux. */
export function paneOf({ key, facts }: Session): SessionPane | null {
  const pane = tmuxPaneOf(facts);
  return pane === null ? null : { key, ...pane };
}

/** Environment variables that agree with an agent's payload, and so prove who sent it, on any machine: see `identifyAgent`. */
export const agentFacts = [
  'droid_project_dir',
  'factory_project_dir',
  'qwen_project_dir',
  'gemini_project_dir',
  'claude_project_dir',
  'claudecode',
  'ai_agent',
  'claude_code_entrypoint',
  'claude_code_session_attended',
  'claude_code_session_id',
  'grok_hook_event',
  'grok_session_id',
  'augment_conversation_id',
  /** "1" where VSCODE_PID is set: in programs that VS Code starts, but not in its terminals. */
  'vscode',
] as const;

/**
 * Facts the hook records about its surroundings: header lines of an envelope. An allow-list; never the
 * environment as a whole, which holds secrets.
 */
export const factKeys = [
  /** `--agent NAME` of the installed hook command. */
  'agent',
  /** `--event NAME`, for agents whose payload has no event name. */
  'event',
  /** Process id of the hook, and of the process that ran it. */
  'pid',
  'ppid',
  /** Of hookbell-ask, which waits for an answer: the name of its FIFO, its process id and the start of that process. */
  'ask',
  /** The terminal it ran in and its display: needed to notify in it or to bring it forward. */
  'tmux',
  'tmux_pane',
  'term',
  'term_program',
  'lc_terminal',
  'tty',
  'ssh',
  'display',
  'wayland_display',
  'windowid',
  'swaysock',
  'hyprland_instance_signature',
  'kitty_window_id',
  'kitty_pid',
  'kitty_listen_on',
  'wezterm_pane',
  'wezterm_unix_socket',
  'iterm_session_id',
  'gnome_terminal_screen',
  'konsole_dbus_service',
  'konsole_dbus_session',
  'konsole_dbus_window',
  'alacritty_window_id',
  'ghostty_surface_id',
  'vscode_git_askpass_node',
  /** On macOS: the application that owns the terminal. */
  'cf_bundle_identifier',
  'claude_pid',
  ...agentFacts,
] as const;
export type FactKey = (typeof factKeys)[number];
/**
 * Four that no hook can say. `host`: the editor that shows the session, by the Agent Client Protocol. `held`: "yes" if the machine that relayed the event holds its request for an answer.
 * `unproved`: "yes" if the agent is a guess by the environment. `seen`: no hook ran, the agent itself has written it: see
 * `seenFact` in agent/witness.ts.
 */
export type HookFacts = Readonly<
  Partial<Record<FactKey | 'held' | 'unproved' | 'seen' | 'host', string>>
>;

/** A pane of a tmux server. */
export interface TmuxPane {
  /** The server's socket, an absolute path. */
  readonly socket: string;
  /** Process id of the server, as the server reports it. */
  readonly serverPid: string;
  /** Such as "%3": never reused by the same server. */
  readonly pane: string;
}

/** TMUX holds the server's socket, its process id and the session, with commas between. Null outside of tmux. */
export function tmuxPaneOf(facts: HookFacts): TmuxPane | null {
  const [, socket, serverPid] = /^(\/.*),(\d+),\d+$/.exec(facts.tmux ?? '') ?? [];
  const pane = /^%\d+$/.exec(facts.tmux_pane ?? '')?.[0];
  if (socket === undefined || serverPid === undefined || pane === undefined) return null;
  return { socket, serverPid, pane };
}

/** An editor started in a pane passes the variables of tmux to its own terminals, and outlives the pane. */
export function runsInTmux(facts: HookFacts): boolean {
  return facts.term_program === undefined || facts.term_program === 'tmux';
}

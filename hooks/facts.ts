/** Arguments of the installed hook command: `hook.js [--state DIR] [--agent NAME] [--event NAME] [JSON]`. */
export interface HookArguments {
  /** The state directory; empty if omitted. */
  readonly state: string;
  readonly agent: string;
  readonly event: string;
  /** The payload, when the agent passes it as its last argument instead of on standard input. */
  readonly payload: string | null;
}

export function parseArguments(words: readonly string[]): HookArguments {
  const valueOf = (option: string): string => {
    const at = words.lastIndexOf(option);
    return at === -1 ? '' : (words[at + 1] ?? '');
  };
  const last = words.at(-1);
  return {
    state: valueOf('--state'),
    agent: valueOf('--agent'),
    event: valueOf('--event'),
    payload: last?.startsWith('{') === true ? last : null,
  };
}

/** Environment variables that the header includes; an allow-list, because the environment contains secrets. */
const variables = {
  tmux: 'TMUX',
  tmux_pane: 'TMUX_PANE',
  term: 'TERM',
  term_program: 'TERM_PROGRAM',
  lc_terminal: 'LC_TERMINAL',
  tty: 'SSH_TTY',
  display: 'DISPLAY',
  wayland_display: 'WAYLAND_DISPLAY',
  windowid: 'WINDOWID',
  swaysock: 'SWAYSOCK',
  hyprland_instance_signature: 'HYPRLAND_INSTANCE_SIGNATURE',
  kitty_window_id: 'KITTY_WINDOW_ID',
  kitty_pid: 'KITTY_PID',
  kitty_listen_on: 'KITTY_LISTEN_ON',
  wezterm_pane: 'WEZTERM_PANE',
  wezterm_unix_socket: 'WEZTERM_UNIX_SOCKET',
  iterm_session_id: 'ITERM_SESSION_ID',
  gnome_terminal_screen: 'GNOME_TERMINAL_SCREEN',
  konsole_dbus_service: 'KONSOLE_DBUS_SERVICE',
  konsole_dbus_session: 'KONSOLE_DBUS_SESSION',
  konsole_dbus_window: 'KONSOLE_DBUS_WINDOW',
  alacritty_window_id: 'ALACRITTY_WINDOW_ID',
  ghostty_surface_id: 'GHOSTTY_SURFACE_ID',
  vscode_git_askpass_node: 'VSCODE_GIT_ASKPASS_NODE',
  cf_bundle_identifier: '__CFBundleIdentifier',
  droid_project_dir: 'DROID_PROJECT_DIR',
  factory_project_dir: 'FACTORY_PROJECT_DIR',
  qwen_project_dir: 'QWEN_PROJECT_DIR',
  gemini_project_dir: 'GEMINI_PROJECT_DIR',
  claude_project_dir: 'CLAUDE_PROJECT_DIR',
  claudecode: 'CLAUDECODE',
  ai_agent: 'AI_AGENT',
  claude_code_entrypoint: 'CLAUDE_CODE_ENTRYPOINT',
  claude_code_session_attended: 'CLAUDE_CODE_SESSION_ATTENDED',
  claude_code_session_id: 'CLAUDE_CODE_SESSION_ID',
  claude_pid: 'CLAUDE_PID',
  grok_hook_event: 'GROK_HOOK_EVENT',
  grok_session_id: 'GROK_SESSION_ID',
  augment_conversation_id: 'AUGMENT_CONVERSATION_ID',
};

/** The header of an envelope, as lines of `key=value`. */
export function factLines(
  call: Pick<HookArguments, 'agent' | 'event'>,
  surroundings: Pick<NodeJS.Process, 'env' | 'pid' | 'ppid'>,
): string {
  return Object.entries(factsOf(call, surroundings))
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** The recorded facts of a process. Values over 1 KB, or that could forge a line, are omitted. */
export function factsOf(
  { agent, event }: Pick<HookArguments, 'agent' | 'event'>,
  { env, pid, ppid }: Pick<NodeJS.Process, 'env' | 'pid' | 'ppid'>,
): Readonly<Record<string, string>> {
  const facts = {
    agent,
    event,
    pid: String(pid),
    ppid: String(ppid),
    ssh: env['SSH_CONNECTION'] === undefined ? '' : '1',
    vscode: env['VSCODE_PID'] === undefined ? '' : '1',
    ...Object.fromEntries(
      Object.entries(variables).map(([key, variable]) => [key, env[variable] ?? '']),
    ),
  };
  return Object.fromEntries(
    Object.entries(facts).filter(
      ([, value]) => value !== '' && value.length <= 1024 && !/\p{Cc}/u.test(value),
    ),
  );
}

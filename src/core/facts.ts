/**
 * Facts the hook records about its surroundings: header lines of an envelope. An allow-list; never the
 * environment as a whole, which holds secrets. Names on the left are header keys.
 */
export const factKeys = [
  /** `--agent NAME` of the installed hook command. */
  'agent',
  /** `--event NAME`, for agents whose payload has no event name. */
  'event',
  /** Process id of the hook, and of the process that ran it. */
  'pid',
  'ppid',
  'tmux',
  'tmux_pane',
  'term_program',
  'tty',
  'ssh',
  'windowid',
  'kitty_window_id',
  'wezterm_pane',
  'iterm_session_id',
  /** Environment variables that identify an agent: acceptance 024-031, agents.md section 3. */
  'droid_project_dir',
  'factory_project_dir',
  'qwen_project_dir',
  'gemini_project_dir',
  'claude_project_dir',
  'claudecode',
  'ai_agent',
  'claude_code_entrypoint',
  'claude_code_session_attended',
  'claude_pid',
] as const;
export type FactKey = (typeof factKeys)[number];
export type Facts = Readonly<Partial<Record<FactKey, string>>>;

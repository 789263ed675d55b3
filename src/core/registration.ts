/** How an agent is told to run our hook. */
export interface Registration {
  /**
   * `hooks`, as nearly all agents have them. `notify`: a second way, which tells of finished turns only and needs no
   * trust; where it is taken by another program the hooks do without it.
   */
  readonly by?: 'hooks' | 'notify';
  /** A variable that moves the directory of the agent's settings elsewhere, and that directory below the home directory. */
  readonly movedBy?: { readonly variable: string; readonly directory: string };
  /** The agent is taken for installed when one of these exists: paths below the home directory … */
  readonly evidence: readonly string[];
  /** … or one of these programs on PATH. */
  readonly programs: readonly string[];
  /**
   * Where its hooks are kept, below the home directory (or the project): the first that exists is used, otherwise the
   * last is made. The agents that read several of them run hooks of all, so exactly one is written.
   */
  readonly files: readonly HookFile[];
  readonly events: readonly RegisteredEvent[];
  /**
   * Where the agent notes which plugins are installed, and which settings switch them on, the strongest last; below the home
   * directory, and below a project by the same paths.
   */
  readonly plugins?: { readonly installed: string; readonly settings: readonly string[] };
  /** Settings that, being true, switch all hooks of the agent off; below the home directory, and below a project by the same paths. */
  readonly offBy?: { readonly files: readonly string[]; readonly key: string };
  /** Events that are registered for the user and never in a project, whose file another agent may read as well. */
  readonly userOnly?: readonly string[];
  /** What stands behind the path of the hook, such as `--agent codex`: for agents that their payload does not betray. */
  readonly words?: readonly string[];
  /** The payload does not name its event, so the command does: `--event NAME`. */
  readonly saysEvent?: boolean;
  /** In what the agent counts the time limit of a hook; seconds unless it says otherwise. */
  readonly timeoutUnit?: 'seconds' | 'milliseconds';
  /** Events that a silent hook fails, denies or keeps waiting: never to be registered. */
  readonly never?: RegExp;
  /** What the person has to do before the agent notices, as a whole sentence. */
  readonly afterwards: string | null;
}

export interface HookFile {
  /** Below the home directory; `.config/` stands for the configuration directory of the user, wherever that is. */
  readonly path: string;
  /** Below a project where that is another path; null: a project cannot say it. */
  readonly projectPath?: string | null;
  readonly shape: HookShape;
}

/**
 * How a file says which hooks run. `wrapped`: events stand under the key `hooks`, among other settings. `bare`: the file is
 * the map of events. `cursor`, `copilot`: a `version`, and under `hooks` plain lists of commands. `codex-notify`: one key of a
 * TOML file. `opencode-plugin`: a module of our own.
 */
export const hookShapes = [
  'wrapped',
  'bare',
  'cursor',
  'copilot',
  'codex-notify',
  'opencode-plugin',
] as const;
export type HookShape = (typeof hookShapes)[number];

/** What one prompt without a tool call brings, so that a person can find out whether the hooks work. */
export interface Trial {
  /** Runs one prompt without a terminal; the prompt is the last argument. */
  readonly headless: readonly string[];
  /** The registered events it brings, and those that the end of the session does. */
  readonly events: readonly string[];
  readonly closing: readonly string[];
  /** Those of them that the agent does not send, or may cut off, when it runs without a terminal. */
  readonly lostHeadless: readonly string[];
}

export interface RegisteredEvent {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** The only tool whose calls the hook is to run for; absent: it runs for all. */
  readonly matcher?: string;
}

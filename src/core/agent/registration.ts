import type { WindowsRunner } from '../../text/windows-command.ts';

/** How our hook is registered with an agent. */
export interface Registration {
  /** `notify`: a second way, which reports only finished turns and needs no trust. */
  readonly by?: 'hooks' | 'notify';
  /** A variable that moves the agent's settings directory, and that directory below the home directory. */
  readonly movedBy?: { readonly variable: string; readonly directory: string };
  /** The agent counts as installed if one of these exists: paths below the home directory … */
  readonly evidence: readonly string[];
  /** … or one of these programs on PATH. */
  readonly programs: readonly string[];
  /** Exactly one is written: the first that exists, or the last. Agents run the hooks of all. */
  readonly files: readonly HookFile[];
  readonly events: readonly RegisteredEvent[];
  /** The event for which `install --words` registers hookbell-ask, to wait for words after a turn; absent: there is none. */
  readonly rests?: AnsweredEvent;
  /** The event for which `install --answers` registers hookbell-ask as well; absent: the agent takes no answers from it. */
  readonly answers?: AnsweredEvent;
  /** Where it records plugins, and the settings that enable them, highest precedence last. */
  readonly plugins?: { readonly installed: string; readonly settings: readonly string[] };
  /** Settings that disable all its hooks when true; also below a project, by the same paths. */
  readonly offBy?: { readonly files: readonly string[]; readonly key: string };
  /** Only for the user, not in a project, whose file another agent may read as well. */
  readonly userOnly?: readonly string[];
  /** Arguments after the path of the hook, such as `--agent codex`: for agents that their payload does not identify. */
  readonly words?: readonly string[];
  /** The Node that runs the hook, on Windows; set where the command is made. */
  readonly node?: string;
  /** True if the payload does not name its event, so that the command does: `--event NAME`. */
  readonly saysEvent?: boolean;
  /** Where and how a host lists its MCP servers. */
  readonly mcp?: McpEntry;
  /** Unit of the agent's hook timeout; default: seconds. */
  readonly timeoutUnit?: 'seconds' | 'milliseconds';
  /** Events that a hook without output fails, denies or blocks: never registered. */
  readonly never?: RegExp;
  /** What runs its hooks on Windows; absent: cmd or PowerShell, it is not known which. */
  readonly windows?: WindowsRunner;
  /** What the user has to do before the change takes effect, as a whole sentence. */
  readonly afterwards: string | null;
}

export interface McpEntry {
  /** The member of the settings that has the servers by name. */
  readonly key: (typeof mcpKeys)[number];
  /** What the host needs beside `command`, `args` and `env`. */
  readonly others?: Readonly<Record<string, unknown>>;
  /** `command` is a list, and the variables are called `environment`. */
  readonly isList?: boolean;
}

/** Every name that hosts have for their MCP servers. */
export const mcpKeys = ['mcpServers', 'servers', 'context_servers', 'mcp'] as const;

export interface HookFile {
  /** Below the home directory; `.config/` means the user's configuration directory, wherever it is. */
  readonly path: string;
  /** Below a project, if the path differs; null: a project cannot set it. */
  readonly projectPath?: string | null;
  readonly shape: HookShape;
}

/** Formats that are a module of ours, which the agent loads. */
export const moduleShapes = [
  'opencode-plugin',
  'kilo-plugin',
  'pi-extension',
  'cline-plugin',
  'amp-plugin',
] as const;

/**
 * Format of the registration. `wrapped`: events under the key `hooks`, among other settings. `bare`: the file is the
 * map of events. `cursor`, `copilot`: a `version`, and under `hooks` plain lists of commands; `vscode`: those without a version; `crush`: of the command and its time limit alone. `codex-notify`: one key
 * of a TOML file. `toml-hooks`: a list of tables in one. `kiro`: a list of hooks in a file of ours. `mcp-json`, `mcp-toml`: an MCP server among others. The others are modules of ours.
 */
export const hookShapes = [
  'wrapped',
  'bare',
  'cursor',
  'copilot',
  'vscode',
  'crush',
  'codex-notify',
  'toml-hooks',
  'kiro',
  'mcp-json',
  'mcp-toml',
  ...moduleShapes,
] as const;
export type HookShape = (typeof hookShapes)[number];

/** Events of one prompt without a tool call, to test whether the hooks work. */
export interface Trial {
  /** Runs one prompt without a terminal; the prompt is the last argument. */
  readonly headless: readonly string[];
  /** The registered events it causes, including those at the end of the session. */
  readonly events: readonly string[];
  readonly closing?: readonly string[];
  /** Events that the agent may not send, or may cut off, without a terminal. */
  readonly lostHeadless?: readonly string[];
}

export interface RegisteredEvent {
  readonly name: string;
  readonly timeoutSeconds: number;
  /** The only tool whose calls run the hook; absent: all. */
  readonly matcher?: string;
}

/** An event whose hook may answer for the person. */
export interface AnsweredEvent {
  readonly name: string;
  /** The longest time that the agent lets its hook wait, in the agent's own unit. */
  readonly timeout: number;
}

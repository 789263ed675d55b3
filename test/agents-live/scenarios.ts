import type { DialectName, Kind } from '../../src/core/hook-event.ts';
import type { Scripts } from './tools.ts';

/** What an agent asks on its screen. */
export type Asking = 'permission' | 'question' | 'plan';

/** What a person may press, by what it means; each agent has keys of its own for it. */
export type Key = 'yes' | 'no' | 'answer' | 'approve' | 'escape' | 'interrupt';

/** One thing that happens to the agent, in order. */
export type Action =
  /** Types a line and presses Enter; the line of a command such as "clear" is the agent's own. */
  | readonly ['type', string]
  | readonly ['command', 'clear' | 'exit' | 'planning' | 'asking']
  /** Waits until the screen shows these words, or the agent's own question. */
  | readonly ['see', string, Partial<Record<DialectName, string>>?]
  | readonly ['asked', Asking]
  /** Waits until the person was notified; that it never happens shows in the table. */
  | readonly ['ring']
  | readonly ['press', Key]
  | readonly ['pass', number]
  /** Runs the agent headless with a prompt, to its end. */
  | readonly ['run', string]
  /** Ends the agent as a crash would, starts it again, takes up its last session. */
  | readonly ['kill']
  | readonly ['start']
  | readonly ['resume']
  /** The same in a terminal of its own at the same time. */
  | readonly ['beside', readonly Action[]];

export interface Row {
  readonly name: string;
  /** What the model does about the prompts of this row. */
  readonly model: Scripts;
  readonly play: readonly Action[];
  /** What the person is notified about, in order. */
  readonly rings: readonly Kind[];
  /** The agents that know such a thing at all; left out: all. */
  readonly only?: readonly DialectName[];
  /** Where an agent differs: what it rings for, or why it cannot play the row. */
  readonly but?: Partial<Record<DialectName, Exception>>;
}

export type Exception =
  | { readonly rings: readonly Kind[]; readonly because: string }
  | { readonly leftOut: string };

/** Turns of at least this ring when they end, ms. What an agent needs by itself for a short one has to be far below. */
export const LONG_TURN_MS = 8_000;
const THINKS_MS = 8_500;

/** Played one after the other: those of a terminal in one session, as far as they do not end it. */
export const rows: readonly Row[] = [
  {
    name: 'a short turn',
    model: { 'Say hello': [{ say: 'Good morning' }] },
    play: [['start'], ['type', 'Say hello'], ['see', 'Good morning']],
    rings: [],
  },
  {
    name: 'a long turn',
    model: { 'Take your time': [{ say: 'That took a while', afterMs: THINKS_MS }] },
    play: [
      ['type', 'Take your time'],
      ['see', 'That took a while'],
    ],
    rings: ['turn.done'],
  },
  {
    name: 'a permission left waiting, then given in the terminal',
    model: { 'Write the file': [{ run: 'touch first.txt' }, { say: 'It is written' }] },
    play: [
      ['type', 'Write the file'],
      ['asked', 'permission'],
      ['ring'],
      ['press', 'yes'],
      ['see', 'It is written'],
    ],
    rings: ['needs.permission'],
  },
  {
    name: 'a permission refused in the terminal',
    model: { 'Remove the file': [{ run: 'rm first.txt' }, { say: 'I leave it alone' }] },
    play: [
      ['type', 'Remove the file'],
      ['asked', 'permission'],
      ['ring'],
      ['press', 'no'],
      ['pass', 1_500],
    ],
    rings: ['needs.permission'],
  },
  {
    name: 'a permission that another hook gives before the person is asked',
    only: ['claude', 'codex', 'qwen'],
    model: {
      'Write what is allowed': [{ run: 'touch allowed-by-hook.txt' }, { say: 'It was allowed' }],
    },
    play: [
      ['type', 'Write what is allowed'],
      ['see', 'It was allowed'],
    ],
    rings: [],
  },
  {
    name: 'a question that the mode of the agent forbids',
    only: ['codex'],
    model: {
      'Ask me anything': [{ ask: 'Which database should I use?' }, { say: 'Then I decide myself' }],
    },
    play: [
      ['type', 'Ask me anything'],
      ['see', 'Then I decide myself'],
    ],
    rings: [],
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
  },
  {
    name: 'a turn that fails',
    model: { 'Break down': [{ fail: 400 }] },
    play: [
      ['type', 'Break down'],
      ['see', 'broke a promise'],
      ['pass', 1_000],
    ],
    rings: ['turn.failed'],
    but: {
      codex: { rings: [], because: 'it runs no hook when a turn fails' },
      gemini: { rings: [], because: 'it sends the same for a failed and for an interrupted turn' },
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
  },
  {
    name: 'a long turn broken off with Esc',
    model: { 'Count the stars': [{ say: 'There are many', afterMs: 60_000 }] },
    play: [
      ['type', 'Count the stars'],
      ['pass', 3_000],
      ['press', 'escape'],
      ['pass', 2_000],
    ],
    rings: [],
  },
  {
    name: 'a subagent at work in a long turn',
    model: {
      'Hand it over': [{ agent: 'Look into the tests' }, { say: 'They have looked' }],
      'Look into the tests': [{ say: 'All tests are fine', afterMs: THINKS_MS }],
      // Where subagents work in the background their report is a prompt of its own.
      'All tests are fine': [{ say: 'So they are' }],
    },
    play: [
      ['type', 'Hand it over'],
      ['see', 'They have looked', { claude: 'So they are' }],
    ],
    rings: ['turn.done'],
    but: { codex: { rings: [], because: 'its turn ends while the subagent works on' } },
  },
  {
    name: 'a new conversation, and a short turn in it',
    model: { 'Say hello again': [{ say: 'Good evening' }] },
    play: [
      ['command', 'clear'],
      ['pass', 1_000],
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
    but: { codex: { rings: [], because: 'its plan ends a turn like any other, without a word' } },
  },
  {
    name: 'the person leaves',
    model: {},
    play: [
      ['command', 'exit'],
      ['pass', 2_000],
    ],
    rings: [],
  },
  {
    name: 'the session is taken up again',
    model: { 'Where were we': [{ say: 'Right here' }] },
    play: [['resume'], ['type', 'Where were we'], ['see', 'Right here']],
    rings: [],
  },
  {
    name: 'two sessions at once, each with a permission',
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
  },
  {
    name: 'the agent is killed at work',
    model: { 'Work for long': [{ say: 'Never said', afterMs: 60_000 }] },
    play: [['type', 'Work for long'], ['pass', 2_000], ['kill'], ['pass', 1_000]],
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
    model: { 'Think it over': [{ say: 'So be it', afterMs: THINKS_MS }] },
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
      codex: { rings: [], because: 'it sends nothing but the end of the session' },
      gemini: { rings: [], because: 'it sends nothing but the end of the session' },
      qwen: { rings: [], because: 'it sends nothing after the prompt' },
    },
  },
];

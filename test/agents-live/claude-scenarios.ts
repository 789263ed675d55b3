import { LONG_MS, type Row } from './scenarios.ts';

/** hookbell tells that a limit is over up to 90 seconds after the minute that the service names, ms. */
const OVER_MS = 240_000;
let limitEnds: number | null = null;

/** The words for a limit that ends at the first full minute that is not too close. */
function sessionLimit(): string {
  const soon = Date.now() + 20_000;
  limitEnds ??= Math.ceil(soon / 60_000) * 60_000;
  const time = new Intl.DateTimeFormat('en-US', {
    timeZone: 'UTC',
    hour: 'numeric',
    minute: '2-digit',
  }).format(limitEnds);
  return `You've hit your session limit · resets ${time.replace(/\s/, '').toLowerCase()} (UTC)`;
}

function everyMinute(prompt: string, recurring: boolean) {
  return { cron: '* * * * *', prompt, recurring };
}

/** What only Claude Code can play, after all other rows. */
export const claudeRows: readonly Row[] = [
  {
    name: 'a permission that a subagent with a name asks for',
    model: {
      'Ask the tester': [{ agent: 'Test it now', as: 'tester' }, { say: 'They test' }],
      'Test it now': [{ run: 'touch tested.txt' }, { say: 'All is tested' }],
      'All is tested': [{ say: 'Well tested' }],
    },
    play: [
      ['type', 'Ask the tester'],
      ['asked', 'permission'],
      ['ring'],
      ['press', 'yes'],
      ['see', 'Well tested'],
    ],
    rings: ['needs.permission'],
    says: 'touch tested.txt',
  },
  {
    name: 'a form that an MCP server asks to fill in',
    model: { 'Order the parts': [{ call: 'mcp__shop__order' }, { say: 'It is ordered' }] },
    play: [
      ['type', 'Order the parts'],
      ['see', 'requests your input'],
      ['ring'],
      ['press', 'escape'],
      ['see', 'It is ordered'],
    ],
    rings: ['needs.input'],
    says: 'How many parts should I order?',
  },
  {
    name: 'a link that an MCP server asks to open',
    model: { 'Pay for the parts': [{ call: 'mcp__shop__pay' }, { say: 'It is paid' }] },
    play: [
      ['type', 'Pay for the parts'],
      ['see', 'shop.example'],
      ['ring'],
      ['press', 'escape'],
      ['see', 'It is paid'],
    ],
    rings: ['needs.input'],
    says: 'Please pay for the parts',
  },
  {
    name: 'a session that wakes itself: a round is silent, one that fails is not',
    apart: true,
    model: {
      'Watch the build': [
        // Both are due in the next minute. The first ends with the second still to come.
        { call: 'CronCreate', input: everyMinute('Look at the build', false) },
        { call: 'CronCreate', input: everyMinute('Look at the tests', true) },
        { say: 'I watch it', afterMs: LONG_MS },
      ],
      'Look at the build': [{ say: 'The build still runs', afterMs: LONG_MS }],
      'Look at the tests': [{ fail: 400 }],
    },
    play: [
      ['start'],
      ['type', 'Watch the build'],
      ['see', 'I watch it'],
      ['see', 'The build still runs'],
      ['see', 'broke a promise'],
      ['ring'],
    ],
    rings: ['turn.failed'],
    says: 'broke a promise',
  },
  {
    name: 'a usage limit is reached twice, and is over',
    apart: true,
    model: {
      'Use it up': [{ fail: 429, saying: sessionLimit }],
      'Try once more': [{ fail: 429, saying: sessionLimit }],
    },
    play: [
      ['start'],
      ['type', 'Use it up'],
      ['see', 'session limit'],
      ['ring'],
      ['type', 'Try once more'],
      ['event', 'turn.failed'],
      ['event', 'turn.failed'],
      ['ring', OVER_MS],
    ],
    rings: ['turn.failed', 'notice'],
    says: 'Claude Code can go on: its session limit is over',
  },
];

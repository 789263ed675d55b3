import type { Dialect } from '../support/dialect.ts';
import { firstMessage, openCodeEvents } from '../support/opencode-family.ts';
import { opencodeVocabulary } from './vocabulary.ts';

/** The plugin lets hookbell-ask wait this long. */
const HOLD_S = 86_400;

/** OpenCode, whose events our plugin forwards as `{type, properties}`: https://opencode.ai/docs/plugins */
export default {
  agent: 'opencode',
  name: 'OpenCode',
  evidence: {
    // Kilo sends the same, and says so in its command.
    proof: ({ type, properties }, { agent }) =>
      type !== undefined && properties !== undefined && agent !== 'kilo',
  },
  vocabulary: opencodeVocabulary,
  identity: firstMessage,
  traits: {
    processes: { programs: ['opencode'], packages: ['opencode-ai'], variables: ['OPENCODE'] },
    endsTwice: true,
    answers: {
      longestHoldMs: HOLD_S * 1_000,
      takesQuestions: true,
      reportsAnswers: true,
    },
    // Not `showsHook`: the plugin waits beside the session, and OpenCode does not display that.
    words: { documentOf: (text) => ({ prompt: text }) },
  },
  registrations: [
    {
      evidence: ['.config/opencode', '.opencode'],
      programs: ['opencode'],
      files: [
        {
          path: '.config/opencode/plugins/hookbell.js',
          projectPath: '.opencode/plugins/hookbell.js',
          shape: 'opencode-plugin',
        },
      ],
      events: openCodeEvents,
      answers: { name: 'permission.asked', timeout: HOLD_S },
      words: ['--agent', 'opencode'],
      afterwards: 'Restart OpenCode: it loads its plugins once at start',
    },
  ],
  trial: {
    headless: ['opencode', 'run'],
    events: ['session.created', 'message.updated', 'session.idle'],
  },
  silentAbout: [],
} satisfies Dialect;

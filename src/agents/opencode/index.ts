import type { Dialect } from '../support/dialect.ts';
import { registered } from '../support/registered-events.ts';
import { opencodeVocabulary } from './vocabulary.ts';

/** The plugin lets hookbell-ask wait this long. */
const HOLD_S = 86_400;

/** OpenCode, whose events our plugin forwards as `{type, properties}`: https://opencode.ai/docs/plugins */
export default {
  agent: 'opencode',
  name: 'OpenCode',
  evidence: {
    proof: ({ type, properties }) => type !== undefined && properties !== undefined,
  },
  vocabulary: opencodeVocabulary,
  identity({ event, properties }) {
    // A message is updated many times, long after its prompt; only the first one is the prompt.
    const id = properties?.info?.id;
    return event === 'message.updated' && id !== undefined ? [event, id] : null;
  },
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
      events: registered([
        'session.created',
        'session.deleted',
        'session.idle',
        'session.error',
        'message.updated',
        'permission.asked',
        'permission.updated',
        'question.asked',
        'permission.replied',
        'question.replied',
        'question.rejected',
        'permission.v2.asked',
        'permission.v2.replied',
        'question.v2.asked',
        'question.v2.replied',
        'question.v2.rejected',
      ]),
      answers: { name: 'permission.asked', timeout: HOLD_S },
      words: ['--agent', 'opencode'],
      afterwards: 'Restart OpenCode: it loads its plugins once at start',
    },
  ],
  trial: {
    headless: ['opencode', 'run'],
    events: ['session.created', 'message.updated', 'session.idle'],
    closing: [],
    lostHeadless: [],
  },
  silentAbout: [],
} satisfies Dialect;

import type { Dialect } from '../support/dialect.ts';
import { firstMessage, openCodeEvents } from '../support/opencode-family.ts';
import { kiloVocabulary } from './vocabulary.ts';

/** Kilo, which is built on OpenCode and loads the same plugin: https://kilo.ai/docs. Nothing was answered in it from elsewhere. */
export default {
  agent: 'kilo',
  name: 'Kilo',
  evidence: {},
  vocabulary: kiloVocabulary,
  identity: firstMessage,
  traits: {
    processes: { programs: ['kilo', 'kilocode'], packages: ['@kilocode'], variables: ['KILO'] },
    endsTwice: true,
  },
  registrations: [
    {
      evidence: ['.config/kilo', '.kilo'],
      programs: ['kilo', 'kilocode'],
      files: [
        {
          path: '.config/kilo/plugins/hookbell.js',
          projectPath: '.kilo/plugins/hookbell.js',
          shape: 'kilo-plugin',
        },
      ],
      events: openCodeEvents,
      words: ['--agent', 'kilo'],
      afterwards: 'Restart Kilo: it loads its plugins once at start',
    },
  ],
  trial: {
    headless: ['kilo', 'run'],
    events: ['session.created', 'message.updated', 'session.idle'],
  },
  silentAbout: [],
} satisfies Dialect;

import { opencodeVocabulary } from '../opencode/vocabulary.ts';
import type { Vocabulary } from '../support/vocabulary.ts';

/** Kilo is built on OpenCode, and has its events. */
export const kiloVocabulary: Vocabulary = {
  ...opencodeVocabulary,
  source: {
    npm: null,
    version: '7.7.9',
    place: 'the program of `@kilocode/cli-linux-x64`, which is built on OpenCode',
  },
};

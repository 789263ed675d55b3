import type { Dialect } from '../support/dialect.ts';
import { unknownVocabulary } from './vocabulary.ts';

/** An unknown agent, or a payload piped in by hand. */
export default {
  agent: 'unknown',
  name: 'an agent',
  evidence: {},
  vocabulary: unknownVocabulary,
  traits: {},
  registrations: [],
  trial: null,
  silentAbout: [],
} satisfies Dialect;

import { claudeVocabulary } from './claude/vocabulary.ts';
import { copilotVocabulary } from './copilot/vocabulary.ts';
import { geminiVocabulary } from './gemini/vocabulary.ts';
import type { Dialect } from './support/dialect.ts';
import type { Vocabulary } from './support/vocabulary.ts';

/** An agent that is not known adds no words: most use the events of Claude Code. */
const unknownVocabulary: Vocabulary = {
  source: { npm: null, version: '2026-11-27', place: 'the words of other agents' },
  events: {},
  notifications: { ...copilotVocabulary.notifications, ...geminiVocabulary.notifications },
  also: [claudeVocabulary],
};

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

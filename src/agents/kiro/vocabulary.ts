import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Kiro has these hooks of Claude Code. */
export const kiroVocabulary: Vocabulary = {
  source: { npm: null, version: '2026-11-28', place: 'https://kiro.dev/docs/hooks' },
  events: wordsFrom(claudeVocabulary.events, 'SessionStart UserPromptSubmit PostToolUse Stop'),
  notifications: {},
  also: [claudeVocabulary],
};

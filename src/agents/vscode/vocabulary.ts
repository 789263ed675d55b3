import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** VS Code's agent has some hooks of Claude Code, and sends no notification. */
export const vscodeVocabulary: Vocabulary = {
  source: {
    npm: null,
    version: '2026-11-27',
    place: 'https://code.visualstudio.com/docs/agent-customization/hooks',
  },
  events: wordsFrom(
    claudeVocabulary.events,
    `
    SessionStart UserPromptSubmit PreToolUse PostToolUse PreCompact SubagentStart
    SubagentStop Stop
  `,
  ),
  notifications: {},
  also: [claudeVocabulary],
};

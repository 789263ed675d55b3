import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom, means } from '../support/vocabulary.ts';

/** droid took its hooks over from Claude Code, and imports those of its settings. */
export const droidVocabulary: Vocabulary = {
  source: {
    npm: '@factory/cli-linux-x64',
    version: '0.225.2',
    place: 'the list of hook events, and the calls that send a notification',
  },
  events: wordsFrom(
    claudeVocabulary.events,
    `
    SessionStart SessionEnd UserPromptSubmit PreToolUse PostToolUse Stop SubagentStop
    Notification PreCompact
  `,
  ),
  notifications: {
    permission_prompt: means('needs.permission', 'it asks to run a tool'),
    elicitation_dialog: means('needs.input', 'it asks the person a question'),
    idle_prompt: means(
      'needs.input',
      'it is at its prompt: a turn ended, or the person stopped it',
    ),
  },
  also: [claudeVocabulary],
};

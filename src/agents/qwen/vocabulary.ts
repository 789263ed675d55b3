import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom, means } from '../support/vocabulary.ts';

/** Qwen Code has the hooks of Claude Code, and some others. */
export const qwenVocabulary: Vocabulary = {
  source: {
    npm: '@qwen-code/qwen-code',
    version: '0.24.4',
    place: 'the enumeration of hook events, and the calls that send a notification',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart SessionEnd UserPromptSubmit PostToolUse PostToolUseFailure Stop
      StopFailure SubagentStop PermissionRequest Notification PreToolUse PostToolBatch
      UserPromptExpansion SubagentStart PreCompact PostCompact InstructionsLoaded
      MessageDisplay
    `,
    ),
    PermissionDenied: means('activity', 'a call was refused'),
    SessionDelete: means('activity', 'the person deleted a session'),
    TodoCreated: means('activity', 'an entry of the list of tasks is new'),
    TodoCompleted: means('activity', 'an entry of the list of tasks is done'),
  },
  notifications: {
    permission_prompt: means('needs.permission', 'it asks to run a tool'),
    idle_prompt: means('needs.input', 'it is at its prompt after a long turn'),
    auth_success: means('activity', 'it has signed in, at each start: nothing is asked'),
  },
  also: [claudeVocabulary],
};

import { claudeVocabulary } from '../claude/vocabulary.ts';
import { type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Qwen Code has the hooks of Claude Code, and some others. */
export const qwenVocabulary: Vocabulary = {
  source: {
    npm: '@qwen-code/qwen-code',
    version: '0.24.4',
    place: 'the enumeration of hook events, and the calls that send a notification',
  },
  events: {
    ...wordsFrom(claudeVocabulary.events, [
      'SessionStart',
      'SessionEnd',
      'UserPromptSubmit',
      'PostToolUse',
      'PostToolUseFailure',
      'Stop',
      'StopFailure',
      'SubagentStop',
      'PermissionRequest',
      'Notification',
      'PreToolUse',
      'PostToolBatch',
      'UserPromptExpansion',
      'SubagentStart',
      'PreCompact',
      'PostCompact',
      'InstructionsLoaded',
      'MessageDisplay',
    ]),
    PermissionDenied: { kind: 'activity', when: 'a call was refused' },
    SessionDelete: { kind: 'activity', when: 'the person deleted a session' },
    TodoCreated: { kind: 'activity', when: 'an entry of the list of tasks is new' },
    TodoCompleted: { kind: 'activity', when: 'an entry of the list of tasks is done' },
  },
  notifications: {
    permission_prompt: { kind: 'needs.permission', when: 'it asks to run a tool' },
    idle_prompt: { kind: 'needs.input', when: 'it is at its prompt after a long turn' },
    auth_success: { kind: 'activity', when: 'it has signed in, at each start: nothing is asked' },
  },
  also: [claudeVocabulary],
};

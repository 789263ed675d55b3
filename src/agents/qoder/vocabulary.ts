import { claudeVocabulary } from '../claude/vocabulary.ts';
import { eachOf, means, type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Qoder has the hooks of Claude Code, and some of its notifications. */
export const qoderVocabulary: Vocabulary = {
  source: {
    npm: '@qoder-ai/qodercli',
    version: '1.1.52',
    place: 'the enumeration of hook events, and the calls that send a notification',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart SessionEnd UserPromptSubmit PostToolUse PostToolUseFailure Stop
      StopFailure SubagentStop PermissionRequest Notification Elicitation ElicitationResult
      PreToolUse SubagentStart PreCompact PostCompact Setup TeammateIdle TaskCreated
      TaskCompleted ConfigChange WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged
      FileChanged
    `,
    ),
    PermissionDenied: means('activity', 'a call was refused'),
  },
  notifications: {
    permission_prompt: means('needs.permission', 'it asks to run a tool'),
    idle_prompt: means('needs.input', 'it is at its prompt, immediately after each turn'),
    elicitation_dialog: means('needs.input', 'a form of an MCP server is open'),
    ...eachOf(
      'elicitation_response elicitation_complete',
      means('activity', 'the person has answered an MCP server'),
    ),
    auth_success: means('activity', 'a login has succeeded: nothing is asked'),
  },
  also: [claudeVocabulary],
};

import { claudeVocabulary } from '../claude/vocabulary.ts';
import { permissionRequest, toolDone, turnEnd } from '../support/readings.ts';
import { means, type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Crush has some hooks of Claude Code, and its own for turns; nothing calls a model's question a wait. */
export const crushVocabulary: Vocabulary = {
  source: {
    npm: null,
    version: '2026-11-28',
    place: 'https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      'SessionStart SessionEnd PostToolUse PostToolUseFailure StopFailure PreToolUse PreCompact PostCompact',
    ),
    TurnStart: means('prompt', 'it begins to work on a prompt'),
    TurnEnd: means('turn.done', 'a turn ends; its `text` is what the agent said', turnEnd),
    Interrupt: means('turn.interrupted', 'the person interrupts a turn'),
    PermissionRequest: means('needs.permission', 'a permission dialog is shown', permissionRequest),
    PermissionResult: means('tool.done', 'the person has answered a permission', toolDone),
  },
  notifications: {},
  also: [claudeVocabulary],
};

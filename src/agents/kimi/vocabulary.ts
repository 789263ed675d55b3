import { claudeVocabulary } from '../claude/vocabulary.ts';
import { notification, questionAhead, toolDone } from '../support/readings.ts';
import { eachOf, means, type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Kimi Code has most hooks of Claude Code; its notifications are for the model. */
export const kimiVocabulary: Vocabulary = {
  source: {
    npm: '@moonshot-ai/kimi-code',
    version: '2.1.0',
    place: 'the list of hook events, and the states of a background task',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart SessionEnd UserPromptSubmit PostToolUse PostToolUseFailure Stop
      StopFailure SubagentStop PermissionRequest SubagentStart PreCompact PostCompact
    `,
    ),
    PreToolUse: means(
      'activity',
      'a tool is about to run; of `AskUserQuestion`, its only sign of a question',
      questionAhead,
    ),
    PermissionResult: means('tool.done', 'the person has answered a permission', toolDone),
    Interrupt: means('turn.interrupted', 'the person interrupts a turn'),
    UserPromptQueued: means('activity', 'a prompt waits for the end of the turn'),
    TurnStarted: means('activity', 'a turn begins, also that of a subagent'),
    TaskStarted: means('activity', 'a task begins in the background'),
    SessionHeartbeat: means('activity', 'a session is open: every minute'),
    Notification: means('needs.input', 'see its types', notification),
  },
  notifications: eachOf(
    `
    task.completed task.failed task.killed task.timed_out task.lost
  `,
    means('activity', 'a background task has ended, which the model takes up'),
  ),
  also: [claudeVocabulary],
};

import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import {
  notification,
  permissionRequest,
  prompt,
  sessionEnd,
  sessionStart,
  subagentStop,
  toolDone,
  toolFailure,
  turnEnd,
  turnFailure,
} from '../support/readings.ts';
import { type Meaning, type Vocabulary, means } from '../support/vocabulary.ts';

/** The reason of a failure that does not end the turn. */
export const RECOVERABLE = 'recoverable';

/** Copilot CLI: the names below, or those of Claude Code in a repository's `.claude/settings.json`. */
export const copilotVocabulary: Vocabulary = {
  source: {
    npm: '@github/copilot-linux-x64',
    version: '1.0.102',
    place: 'the schemas that the program unpacks: types of hooks, and kinds of notification',
  },
  events: {
    sessionStart: means('session.start', 'a session begins', sessionStart),
    sessionEnd: means('session.end', 'a session ends', sessionEnd),
    userPromptSubmitted: means('prompt', 'a prompt is submitted', prompt),
    postToolUse: means('tool.done', 'a tool has run', toolDone),
    postToolUseFailure: means('tool.done', 'a tool failed', toolFailure),
    agentStop: means('turn.done', 'a turn ends', agentStop),
    errorOccurred: means(
      'turn.failed',
      'a request to the model failed; it may be repeated',
      errorOccurred,
    ),
    subagentStop: means('subagent.done', 'a subagent ends', subagentStop),
    permissionRequest: means(
      'needs.permission',
      'a permission is decided; never registered',
      permissionRequest,
    ),
    notification: means(
      'needs.input',
      'it needs or tells the person something: see its types',
      notification,
    ),
    preToolUse: means('activity', 'a tool is about to run; never registered'),
    preMcpToolCall: means('activity', 'a tool of an MCP server is about to run'),
    userPromptTransformed: means('activity', 'a prompt was changed for the model'),
    postResult: means('activity', 'a result is ready'),
    prePRDescription: means('activity', 'a pull request is about to be described'),
    subagentStart: means('activity', 'a subagent begins'),
    preCompact: means('activity', 'the conversation is about to be compacted'),
  },
  notifications: {
    permission_prompt: means('needs.permission', 'a permission prompt is shown'),
    elicitation_dialog: means('needs.input', 'it asks the person a question'),
    agent_idle: means('needs.input', 'a background agent waits for instructions'),
    unclassified: means(
      'needs.input',
      'the program that runs the session says something, of a kind not known',
    ),
    workflow_completed: means('message', 'a workflow ended, paused or failed'),
    agent_completed: means('subagent.done', 'a background agent ended'),
    shell_completed: means('activity', 'a background command ended: the agent reads the result'),
    shell_detached_completed: means(
      'activity',
      'a detached command ended: the agent reads the result',
    ),
    new_inbox_message: means(
      'activity',
      'another agent or a plugin wrote to this agent, which decides whether to read it',
    ),
    instruction_discovered: means('activity', 'it found a file of instructions'),
  },
  also: [claudeVocabulary],
};

/** An error after which it continues does not end the turn: later events decide. */
function errorOccurred(payload: Payload): Meaning {
  const failure = turnFailure(payload);
  return payload.recoverable ? { ...failure, reason: RECOVERABLE } : failure;
}

function agentStop(payload: Payload): Meaning {
  const meaning = turnEnd(payload);
  const isFailure = meaning.kind === 'turn.done' && payload.stopReason === 'error';
  return isFailure ? { ...meaning, kind: 'turn.failed', reason: payload.stopReason } : meaning;
}

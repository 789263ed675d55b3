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
import type { Meaning, Vocabulary } from '../support/vocabulary.ts';

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
    sessionStart: { kind: 'session.start', when: 'a session begins', reading: sessionStart },
    sessionEnd: { kind: 'session.end', when: 'a session ends', reading: sessionEnd },
    userPromptSubmitted: { kind: 'prompt', when: 'a prompt is submitted', reading: prompt },
    postToolUse: { kind: 'tool.done', when: 'a tool has run', reading: toolDone },
    postToolUseFailure: { kind: 'tool.done', when: 'a tool failed', reading: toolFailure },
    agentStop: { kind: 'turn.done', when: 'a turn ends', reading: agentStop },
    errorOccurred: {
      kind: 'turn.failed',
      when: 'a request to the model failed; it may be repeated',
      reading: errorOccurred,
    },
    subagentStop: { kind: 'subagent.done', when: 'a subagent ends', reading: subagentStop },
    permissionRequest: {
      kind: 'needs.permission',
      when: 'a permission is decided; never registered',
      reading: permissionRequest,
    },
    notification: {
      kind: 'needs.input',
      when: 'it needs or tells the person something: see its types',
      reading: notification,
    },
    preToolUse: { kind: 'activity', when: 'a tool is about to run; never registered' },
    preMcpToolCall: { kind: 'activity', when: 'a tool of an MCP server is about to run' },
    userPromptTransformed: { kind: 'activity', when: 'a prompt was changed for the model' },
    postResult: { kind: 'activity', when: 'a result is ready' },
    prePRDescription: { kind: 'activity', when: 'a pull request is about to be described' },
    subagentStart: { kind: 'activity', when: 'a subagent begins' },
    preCompact: { kind: 'activity', when: 'the conversation is about to be compacted' },
  },
  notifications: {
    permission_prompt: { kind: 'needs.permission', when: 'a permission prompt is shown' },
    elicitation_dialog: { kind: 'needs.input', when: 'it asks the person a question' },
    agent_idle: { kind: 'needs.input', when: 'a background agent waits for instructions' },
    unclassified: {
      kind: 'needs.input',
      when: 'the program that runs the session says something, of a kind not known',
    },
    workflow_completed: { kind: 'message', when: 'a workflow ended, paused or failed' },
    agent_completed: { kind: 'subagent.done', when: 'a background agent ended' },
    shell_completed: {
      kind: 'activity',
      when: 'a background command ended: the agent reads the result',
    },
    shell_detached_completed: {
      kind: 'activity',
      when: 'a detached command ended: the agent reads the result',
    },
    new_inbox_message: {
      kind: 'activity',
      when: 'another agent or a plugin wrote to this agent, which decides whether to read it',
    },
    instruction_discovered: { kind: 'activity', when: 'it found a file of instructions' },
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

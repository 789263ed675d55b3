import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import {
  prompt,
  sessionEnd,
  sessionStart,
  subagentStop,
  toolDone,
  toolFailure,
  turnEnd,
} from '../support/readings.ts';
import type { Meaning, Vocabulary } from '../support/vocabulary.ts';

/** Cursor has separate hooks, and also runs those of Claude Code. */
export const cursorVocabulary: Vocabulary = {
  source: {
    npm: null,
    version: '2026-11-27',
    place: 'https://cursor.com/docs/agent/hooks',
  },
  events: {
    sessionStart: { kind: 'session.start', when: 'a conversation begins', reading: sessionStart },
    sessionEnd: { kind: 'session.end', when: 'a conversation ends', reading: sessionEnd },
    beforeSubmitPrompt: { kind: 'prompt', when: 'a prompt is submitted', reading: prompt },
    postToolUse: { kind: 'tool.done', when: 'a tool has run', reading: toolDone },
    postToolUseFailure: { kind: 'tool.done', when: 'a tool failed', reading: toolFailure },
    stop: {
      kind: 'turn.done',
      when: 'a turn ends, fails or is interrupted: its `status` says which',
      reading: stop,
    },
    subagentStop: { kind: 'subagent.done', when: 'a subagent ends', reading: subagentStop },
    preToolUse: { kind: 'activity', when: 'a tool is about to run; never registered' },
    subagentStart: { kind: 'activity', when: 'a subagent begins' },
    beforeShellExecution: {
      kind: 'activity',
      when: 'a command is about to run; never registered',
    },
    afterShellExecution: { kind: 'activity', when: 'a command has run' },
    beforeMCPExecution: {
      kind: 'activity',
      when: 'a tool of an MCP server is about to run; never registered',
    },
    afterMCPExecution: { kind: 'activity', when: 'a tool of an MCP server has run' },
    beforeReadFile: { kind: 'activity', when: 'a file is about to be read; never registered' },
    afterFileEdit: { kind: 'activity', when: 'a file was changed' },
    preCompact: { kind: 'activity', when: 'the conversation is about to be compacted' },
    afterAgentResponse: { kind: 'activity', when: 'a part of an answer is complete' },
    afterAgentThought: { kind: 'activity', when: 'a part of its thoughts is complete' },
    beforeTabFileRead: {
      kind: 'activity',
      when: 'the completion of code is about to read a file; never registered',
    },
    afterTabFileEdit: { kind: 'activity', when: 'the completion of code changed a file' },
  },
  notifications: {},
  also: [claudeVocabulary],
};

function stop(payload: Payload): Meaning {
  const { status, lastWords: text } = payload;
  if (status === 'error') return { kind: 'turn.failed', text, reason: status };
  if (status === 'aborted') return { kind: 'turn.interrupted', text, reason: status };
  return turnEnd(payload);
}

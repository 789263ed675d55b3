import { claudeVocabulary } from '../claude/vocabulary.ts';
import {
  endByStatus,
  prompt,
  sessionEnd,
  sessionStart,
  subagentStop,
  toolDone,
  toolFailure,
} from '../support/readings.ts';
import { type Vocabulary, means } from '../support/vocabulary.ts';

/** Cursor has separate hooks, and also runs those of Claude Code. */
export const cursorVocabulary: Vocabulary = {
  source: {
    npm: null,
    version: '2026-11-27',
    place: 'https://cursor.com/docs/agent/hooks',
  },
  events: {
    sessionStart: means('session.start', 'a conversation begins', sessionStart),
    sessionEnd: means('session.end', 'a conversation ends', sessionEnd),
    beforeSubmitPrompt: means('prompt', 'a prompt is submitted', prompt),
    postToolUse: means('tool.done', 'a tool has run', toolDone),
    postToolUseFailure: means('tool.done', 'a tool failed', toolFailure),
    stop: means(
      'turn.done',
      'a turn ends, fails or is interrupted: its `status` says which',
      endByStatus,
    ),
    subagentStop: means('subagent.done', 'a subagent ends', subagentStop),
    preToolUse: means('activity', 'a tool is about to run; never registered'),
    subagentStart: means('activity', 'a subagent begins'),
    beforeShellExecution: means('activity', 'a command is about to run; never registered'),
    afterShellExecution: means('activity', 'a command has run'),
    beforeMCPExecution: means(
      'activity',
      'a tool of an MCP server is about to run; never registered',
    ),
    afterMCPExecution: means('activity', 'a tool of an MCP server has run'),
    beforeReadFile: means('activity', 'a file is about to be read; never registered'),
    afterFileEdit: means('activity', 'a file was changed'),
    preCompact: means('activity', 'the conversation is about to be compacted'),
    afterAgentResponse: means('activity', 'a part of an answer is complete'),
    afterAgentThought: means('activity', 'a part of its thoughts is complete'),
    beforeTabFileRead: means(
      'activity',
      'the completion of code is about to read a file; never registered',
    ),
    afterTabFileEdit: means('activity', 'the completion of code changed a file'),
  },
  notifications: {},
  also: [claudeVocabulary],
};

import { endByStatus, prompt, toolDone } from '../support/readings.ts';
import { eachOf, means, type Vocabulary } from '../support/vocabulary.ts';
import { claudeVocabulary } from '../claude/vocabulary.ts';

/** Pi asks nothing by itself: its extensions do, by dialogs that two events report. */
export const piVocabulary: Vocabulary = {
  source: {
    npm: '@earendil-works/pi-coding-agent',
    version: '1.6.0',
    place: 'the events in the manual of its extensions',
  },
  events: {
    session_start: means('session.start', 'a session begins, is resumed or reloaded'),
    session_shutdown: means('session.end', 'a session ends'),
    before_agent_start: means('prompt', 'a prompt is submitted', prompt),
    agent_settled: means(
      'turn.done',
      'a turn ends, fails or is interrupted, and Pi does not go on by itself',
      endByStatus,
    ),
    tool_result: means('tool.done', 'a tool has run or failed', toolDone),
    ui_prompt_start: means('needs.input', 'a dialog of an extension is open', ({ message }) => ({
      kind: 'needs.input',
      text: message,
    })),
    ui_prompt_end: means('tool.done', 'the person has answered, or closed the dialog'),
    ...eachOf(
      `
      agent_start agent_end agent_before_settle turn_start turn_end message_start
      message_update message_end tool_call tool_execution_start tool_execution_update
      tool_execution_end user_bash input context context_with_system before_provider_headers
      before_provider_request after_provider_response provider_stream_event
      cache_warming_decision model_select thinking_level_select project_trust
      resources_discover session_info_changed session_before_switch
      session_before_fork session_before_compact session_compact session_compact_failed
      session_before_tree session_tree
    `,
      means('activity', 'not passed on'),
    ),
  },
  notifications: {},
  also: [claudeVocabulary],
};

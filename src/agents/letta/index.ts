import type { Dialect } from '../support/dialect.ts';
import { commonEvents, registered, toolIdentity } from '../support/registered-events.ts';
import { lettaVocabulary } from './vocabulary.ts';

/** Letta Code: https://docs.letta.com/letta-code/hooks. Read in its published program, which needs a Letta server to run. */
export default {
  agent: 'letta',
  name: 'Letta Code',
  evidence: {},
  spelling: {
    event_type: 'hook_event_name',
    working_directory: 'cwd',
    // Some events name neither, so that the directory is all that they have in common.
    session_id: null,
    conversation_id: null,
    // The person behind all sessions, so to speak; not a subagent.
    agent_id: null,
    subagent_id: 'agent_id',
    subagent_type: 'agent_type',
    tool_call_id: 'tool_use_id',
    assistant_message: 'last_assistant_message',
    stop_reason: 'reason',
    error_message: 'error',
  },
  vocabulary: lettaVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['letta'], packages: ['@letta-ai'], variables: [] } },
  registrations: [
    {
      evidence: ['.letta'],
      programs: ['letta'],
      files: [{ path: '.letta/settings.json', shape: 'wrapped' }],
      events: [
        ...registered(commonEvents.filter((name) => name !== 'PostToolUse')),
        // Where a tool is meant, it runs only hooks that have a matcher.
        ...registered(['PostToolUse', 'PostToolUseFailure', 'PermissionRequest'], { matcher: '*' }),
      ],
      words: ['--agent', 'letta'],
      timeoutUnit: 'milliseconds',
      afterwards: 'Restart Letta Code',
    },
  ],
  trial: {
    headless: ['letta', '-p'],
    events: ['UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
  },
  silentAbout: [],
} satisfies Dialect;

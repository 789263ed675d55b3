import type { Dialect } from '../support/dialect.ts';
import { registered } from '../support/registered-events.ts';
import { auggieVocabulary } from './vocabulary.ts';

/** Auggie: https://docs.augmentcode.com/cli/hooks. Read in its published program, which needs an account to run. */
export default {
  agent: 'auggie',
  name: 'Auggie',
  evidence: {
    // Cursor names a conversation, too, and its version.
    proof: ({ conversation_id: conversation }, { augment_conversation_id: ofHook }) =>
      conversation !== undefined && conversation === ofHook,
  },
  spelling: {
    user_prompt: 'prompt',
    agent_stop_cause: 'reason',
    notification_message: 'message',
    tool_error: 'error',
  },
  vocabulary: auggieVocabulary,
  traits: {
    processes: { programs: ['auggie'], packages: ['@augmentcode'], variables: ['AUGMENT_AGENT'] },
  },
  registrations: [
    {
      evidence: ['.augment'],
      programs: ['auggie'],
      files: [{ path: '.augment/settings.json', shape: 'wrapped' }],
      events: registered(['SessionStart', 'SessionEnd', 'PromptSubmit', 'PostToolUse', 'Stop']),
      words: ['--agent', 'auggie'],
      timeoutUnit: 'milliseconds',
      never: /^PreToolUse$/,
      afterwards: 'Restart Auggie',
    },
  ],
  trial: {
    headless: ['auggie', '--print'],
    events: ['SessionStart', 'PromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
  },
  silentAbout: ['needs.permission', 'needs.input', 'subagent.done'],
} satisfies Dialect;

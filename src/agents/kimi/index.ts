import type { Dialect } from '../support/dialect.ts';
import { commonEvents, registered, toolIdentity } from '../support/registered-events.ts';
import { kimiVocabulary } from './vocabulary.ts';

/** Kimi Code: https://moonshotai.github.io/kimi-code/en/customization/hooks.html */
export default {
  agent: 'kimi',
  name: 'Kimi Code',
  evidence: { home: '.kimi-code' },
  spelling: {
    // "main", and that of a subagent only in some events.
    agent_id: null,
    agent_name: 'agent_type',
    tool_call_id: 'tool_use_id',
    response: 'last_assistant_message',
    error_type: 'error',
    error_message: 'error_details',
  },
  vocabulary: kimiVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['kimi'], packages: ['@moonshot-ai'], variables: [] } },
  registrations: [
    {
      movedBy: { variable: 'KIMI_CODE_HOME', directory: '.kimi-code' },
      evidence: ['.kimi-code'],
      programs: ['kimi'],
      files: [{ path: '.kimi-code/config.toml', projectPath: null, shape: 'toml-hooks' }],
      // Its notifications are for the model.
      events: [
        ...registered([
          ...commonEvents.filter((name) => name !== 'Notification'),
          'PermissionRequest',
          'PermissionResult',
          'PostToolUseFailure',
          'StopFailure',
          'Interrupt',
        ]),
        ...registered(['PreToolUse'], { matcher: '^AskUserQuestion$' }),
      ],
      words: ['--agent', 'kimi'],
      afterwards: 'Restart Kimi Code',
    },
  ],
  trial: {
    headless: ['kimi', '-p'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: [],
} satisfies Dialect;

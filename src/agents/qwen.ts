import type { Dialect } from './support/dialect.ts';
import { claudeEvents, commonEvents, registered } from './support/registered-events.ts';

/** Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks */
export default {
  agent: 'qwen',
  events: claudeEvents,
  registrations: [
    {
      evidence: ['.qwen'],
      programs: ['qwen'],
      files: [{ path: '.qwen/settings.json', shape: 'wrapped' }],
      // Qwen takes a time limit below 1000 for seconds.
      events: registered([
        ...commonEvents,
        'PermissionRequest',
        'PostToolUseFailure',
        'StopFailure',
      ]),
      // From 1000 on Qwen takes it for milliseconds.
      answers: { name: 'PermissionRequest', timeout: 3_600_000 },
      words: ['--agent', 'qwen'],
      afterwards: 'Restart Qwen Code',
    },
  ],
  trial: {
    headless: ['qwen', '-p'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
} satisfies Dialect;

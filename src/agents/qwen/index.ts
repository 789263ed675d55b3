import type { Dialect } from '../support/dialect.ts';
import { commonEvents, registered } from '../support/registered-events.ts';
import { qwenVocabulary } from './vocabulary.ts';

/** The longest time that Qwen Code lets a hook wait. */
const HOOK_TIMEOUT_MS = 3_600_000;

/** Qwen Code: https://qwenlm.github.io/qwen-code-docs/en/users/features/hooks */
export default {
  agent: 'qwen',
  name: 'Qwen Code',
  evidence: {
    home: '.qwen',
    variable: ({ qwen_project_dir: directory }) => directory !== undefined,
  },
  vocabulary: qwenVocabulary,
  traits: {
    processes: { programs: ['qwen'], packages: ['@qwen-code'], variables: ['QWEN_CODE'] },
    idlesPromptly: true,
    answers: { longestHoldMs: HOOK_TIMEOUT_MS - 10_000 },
  },
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
      answers: { name: 'PermissionRequest', timeout: HOOK_TIMEOUT_MS },
      words: ['--agent', 'qwen'],
      windows: 'named-powershell',
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
  noticed: ['turn.interrupted'],
} satisfies Dialect;

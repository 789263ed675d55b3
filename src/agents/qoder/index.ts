import type { Dialect } from '../support/dialect.ts';
import { commonEvents, registered, toolIdentity } from '../support/registered-events.ts';
import { qoderVocabulary } from './vocabulary.ts';

/** Qoder's command line: https://docs.qoder.com/cli/hooks. Read in its published program, which needs an account to run. */
export default {
  agent: 'qoder',
  name: 'Qoder',
  evidence: { home: '.qoder' },
  vocabulary: qoderVocabulary,
  identity: toolIdentity,
  traits: {
    processes: { programs: ['qodercli', 'qoder'], packages: ['@qoder-ai'], variables: [] },
    idlesPromptly: true,
  },
  registrations: [
    {
      evidence: ['.qoder', '.qoder.json'],
      programs: ['qodercli'],
      files: [{ path: '.qoder/settings.json', shape: 'wrapped' }],
      events: registered([
        ...commonEvents,
        'PermissionRequest',
        'PostToolUseFailure',
        'StopFailure',
      ]),
      words: ['--agent', 'qoder'],
      offBy: {
        files: ['.qoder/settings.json', '.qoder/settings.local.json'],
        key: 'disableAllHooks',
      },
      never: /^Worktree(?:Create|Remove)$/,
      windows: 'named-powershell',
      afterwards: 'Restart Qoder',
    },
  ],
  trial: {
    headless: ['qodercli', '-p'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: ['turn.interrupted'],
} satisfies Dialect;

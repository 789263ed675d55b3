import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { kiroVocabulary } from './vocabulary.ts';

/** Kiro, its editor and `kiro-cli` since version 3: https://kiro.dev/docs/hooks. Built from that; it cannot be run without an account. */
export default {
  agent: 'kiro',
  name: 'Kiro',
  evidence: { home: '.kiro' },
  vocabulary: kiroVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['kiro-cli', 'kiro'], variables: [] } },
  registrations: [
    {
      evidence: ['.kiro'],
      programs: ['kiro-cli', 'kiro'],
      files: [{ path: '.kiro/hooks/hookbell.json', shape: 'kiro' }],
      events: registered(['SessionStart', 'UserPromptSubmit', 'PostToolUse', 'Stop']),
      words: ['--agent', 'kiro'],
      never: /^PreToolUse$/,
      afterwards: 'Restart Kiro',
    },
  ],
  trial: { headless: ['kiro-cli', 'chat', '--no-interactive'], events: ['Stop'] },
  silentAbout: [
    'needs.permission',
    'needs.input',
    'turn.failed',
    'turn.interrupted',
    'subagent.done',
  ],
} satisfies Dialect;

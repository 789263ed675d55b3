import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { ampVocabulary } from './vocabulary.ts';

/** Amp: https://ampcode.com/docs/plugin-api. Its plugin was run by the program itself, a thread was not: that needs an account. */
export default {
  agent: 'amp',
  name: 'Amp',
  evidence: {},
  vocabulary: ampVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['amp'], packages: ['@ampcode/cli'], variables: [] } },
  registrations: [
    {
      evidence: ['.config/amp'],
      programs: ['amp'],
      files: [
        {
          path: '.config/amp/plugins/hookbell.ts',
          projectPath: '.amp/plugins/hookbell.ts',
          shape: 'amp-plugin',
        },
      ],
      events: registered(['session.start', 'agent.start', 'tool.result', 'agent.end']),
      words: ['--agent', 'amp'],
      afterwards: 'Restart Amp, or choose "plugins: reload" in its palette',
    },
  ],
  trial: { headless: ['amp', '-x'], events: ['agent.end'] },
  silentAbout: ['needs.permission', 'needs.input', 'subagent.done'],
} satisfies Dialect;

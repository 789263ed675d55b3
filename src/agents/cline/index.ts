import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { clineVocabulary } from './vocabulary.ts';

/** Cline's command line, whose callbacks our plugin passes on: https://docs.cline.bot */
export default {
  agent: 'cline',
  name: 'Cline',
  evidence: {},
  vocabulary: clineVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['cline'], packages: ['@cline', 'cline'], variables: [] } },
  registrations: [
    {
      movedBy: { variable: 'CLINE_DIR', directory: '.cline' },
      evidence: ['.cline'],
      programs: ['cline'],
      files: [{ path: '.cline/plugins/hookbell.js', shape: 'cline-plugin' }],
      events: registered(['beforeRun', 'beforeTool', 'afterTool', 'afterRun']),
      words: ['--agent', 'cline'],
      afterwards: 'Restart Cline',
    },
  ],
  trial: { headless: ['cline'], events: ['beforeRun', 'afterRun'] },
  silentAbout: [],
} satisfies Dialect;

import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { crushVocabulary } from './vocabulary.ts';

/** Crush: https://github.com/charmbracelet/crush/blob/main/docs/hooks/README.md. Its npm package downloads the program elsewhere; not run. */
export default {
  agent: 'crush',
  name: 'Crush',
  evidence: {},
  spelling: { event: 'hook_event_name', text: 'last_assistant_message', tool_output: null },
  vocabulary: crushVocabulary,
  identity: toolIdentity,
  traits: { processes: { programs: ['crush'], packages: ['@charmland'], variables: ['CRUSH'] } },
  registrations: [
    {
      evidence: ['.config/crush'],
      programs: ['crush'],
      files: [{ path: '.config/crush/crush.json', projectPath: 'crush.json', shape: 'crush' }],
      // Versions before 0.96 ignore all of these.
      events: registered([
        'SessionStart',
        'SessionEnd',
        'TurnStart',
        'TurnEnd',
        'StopFailure',
        'Interrupt',
        'PermissionRequest',
        'PermissionResult',
        'PostToolUse',
      ]),
      movedBy: { variable: 'CRUSH_GLOBAL_CONFIG', directory: '.config/crush' },
      words: ['--agent', 'crush'],
      never: /^Pre/,
      windows: 'posix-shell',
      afterwards: 'Restart Crush',
    },
  ],
  trial: {
    headless: ['crush', 'run'],
    events: ['SessionStart', 'TurnStart'],
    closing: ['SessionEnd'],
    // Without a terminal it reports no end of a turn.
    lostHeadless: ['TurnEnd'],
  },
  silentAbout: ['needs.input', 'subagent.done'],
} satisfies Dialect;

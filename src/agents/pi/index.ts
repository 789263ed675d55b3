import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { piVocabulary } from './vocabulary.ts';

/** Pi, whose events our extension passes on: https://pi.dev/docs/extensions */
export default {
  agent: 'pi',
  name: 'Pi',
  evidence: {},
  vocabulary: piVocabulary,
  identity: toolIdentity,
  traits: {
    processes: {
      programs: ['pi'],
      packages: ['@earendil-works/pi-coding-agent'],
      variables: ['PI_CODING_AGENT'],
    },
  },
  registrations: [
    {
      movedBy: { variable: 'PI_CODING_AGENT_DIR', directory: '.pi/agent' },
      evidence: ['.pi/agent'],
      programs: ['pi'],
      files: [
        {
          path: '.pi/agent/extensions/hookbell.js',
          projectPath: '.pi/extensions/hookbell.js',
          shape: 'pi-extension',
        },
      ],
      events: registered([
        'session_start',
        'session_shutdown',
        'before_agent_start',
        'agent_settled',
        'tool_result',
        'ui_prompt_start',
        'ui_prompt_end',
      ]),
      words: ['--agent', 'pi'],
      afterwards: 'Restart Pi, or type "/reload" in it',
    },
  ],
  trial: {
    headless: ['pi', '-p'],
    events: ['session_start', 'before_agent_start', 'agent_settled'],
    closing: ['session_shutdown'],
  },
  silentAbout: ['needs.permission', 'subagent.done'],
} satisfies Dialect;

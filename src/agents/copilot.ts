import { claudeEvents } from './support/claude-events.ts';
import type { Dialect } from './support/dialect.ts';
import { prompt, turnEnd, turnFailure } from './support/readings.ts';
import { registered } from './support/registered-events.ts';

/**
 * Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration. Hooks registered under camelCase names
 * get no event name in the payload: their command carries `--event`.
 */
export default {
  agent: 'copilot',
  events: {
    ...claudeEvents,
    userpromptsubmitted: prompt,
    agentstop: turnEnd,
    erroroccurred: turnFailure,
  },
  registrations: [
    {
      movedBy: { variable: 'COPILOT_HOME', directory: '.copilot' },
      evidence: ['.copilot'],
      programs: ['copilot'],
      files: [
        {
          path: '.copilot/hooks/hookbell.json',
          projectPath: '.github/hooks/hookbell.json',
          shape: 'copilot',
        },
      ],
      events: registered([
        'sessionStart',
        'sessionEnd',
        'userPromptSubmitted',
        'postToolUse',
        'agentStop',
        'subagentStop',
        'errorOccurred',
        'notification',
      ]),
      words: ['--agent', 'copilot'],
      saysEvent: true,
      // They answer for the person: a hook that fails is a refusal.
      never: /^(?:preToolUse|permissionRequest)$/i,
      afterwards: 'Restart Copilot CLI',
    },
  ],
  trial: {
    headless: ['copilot', '-p'],
    events: ['sessionStart', 'userPromptSubmitted', 'agentStop'],
    closing: ['sessionEnd'],
    lostHeadless: [],
  },
  silentAbout: ['turn.interrupted'],
} satisfies Dialect;

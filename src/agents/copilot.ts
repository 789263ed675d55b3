import { claudeEvents } from './support/claude-events.ts';
import type { Dialect } from './support/dialect.ts';
import { prompt, turnEnd, turnFailure } from './support/readings.ts';

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
} satisfies Dialect;

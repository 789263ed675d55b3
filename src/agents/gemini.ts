import type { Dialect } from './support/dialect.ts';
import { always, notification, prompt, sessionEnd, turnEnd } from './support/readings.ts';

/** Gemini CLI: https://geminicli.com/docs/hooks/reference */
export default {
  agent: 'gemini',
  events: {
    sessionstart: always('session.start'),
    sessionend: sessionEnd,
    beforeagent: prompt,
    aftertool: always('tool.done'),
    afteragent: turnEnd,
    notification,
  },
} satisfies Dialect;

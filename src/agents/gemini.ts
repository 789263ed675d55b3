import type { Dialect } from './support/dialect.ts';
import { always, notification, prompt, sessionEnd, turnEnd } from './support/readings.ts';
import { registered } from './support/registered-events.ts';

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
  registrations: [
    {
      evidence: ['.gemini'],
      programs: ['gemini'],
      files: [{ path: '.gemini/settings.json', shape: 'wrapped' }],
      events: registered([
        'AfterAgent',
        'Notification',
        'SessionStart',
        'SessionEnd',
        'BeforeAgent',
        // Once for each tool: that it ran is the only word of a permission that was given.
        'AfterTool',
      ]),
      words: ['--agent', 'gemini'],
      timeoutUnit: 'milliseconds',
      // They hold up every call of the model, or every piece of its answer.
      never: /^(?:BeforeModel|AfterModel|BeforeToolSelection)$/,
      afterwards: 'Restart Gemini CLI',
    },
  ],
  trial: {
    headless: ['gemini', '-p'],
    events: ['SessionStart', 'BeforeAgent', 'AfterAgent'],
    closing: ['SessionEnd'],
    lostHeadless: ['SessionEnd'],
  },
  silentAbout: ['turn.failed', 'turn.interrupted', 'needs.input', 'subagent.done'],
} satisfies Dialect;

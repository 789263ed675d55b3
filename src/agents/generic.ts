import { claudeEvents } from './support/registered-events.ts';
import type { Dialect } from './support/dialect.ts';

/** An unknown agent, or a payload piped in by hand: most agents use Claude Code's names. */
export default {
  agent: 'unknown',
  name: 'an agent',
  evidence: {},
  events: claudeEvents,
  traits: {},
  registrations: [],
  trial: null,
  silentAbout: [],
} satisfies Dialect;

import { claudeEvents } from './support/registered-events.ts';
import type { Dialect } from './support/dialect.ts';

/** An agent nobody knows, or a payload piped in by hand: Claude Code's words are the ones most agents understand. */
export default {
  agent: 'unknown',
  events: claudeEvents,
  registrations: [],
  trial: null,
  silentAbout: [],
} satisfies Dialect;

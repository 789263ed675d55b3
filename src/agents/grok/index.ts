import type { Dialect } from '../support/dialect.ts';
import { commonEvents, registered } from '../support/registered-events.ts';
import { grokTranscript, grokWitness } from './session-events.ts';
import { grokVocabulary } from './vocabulary.ts';

/**
 * Grok Build, which also runs the hooks of Claude Code's and Cursor's settings. Read from the manual in its program (1.0.41) and
 * recorded. Each event has Claude Code's name as `hook_event_name` and its own as `hookEventName`.
 */
export default {
  agent: 'grok',
  name: 'Grok Build',
  evidence: {
    home: '.grok',
    // Its variables reach the programs that it runs, whose own sessions have other ids.
    proof: ({ hookEventName, sessionId }, { grok_hook_event: event, grok_session_id: session }) =>
      event !== undefined && event === hookEventName && session === sessionId,
  },
  vocabulary: grokVocabulary,
  // The time is that of the event, to the nanosecond, and the same for the hooks of all files.
  identity: ({ event, timestamp }) =>
    event === null || timestamp === null ? null : [event.toLowerCase(), timestamp],
  transcript: grokTranscript,
  witness: grokWitness,
  traits: {
    processes: { programs: ['grok'], packages: ['@xai-official/grok'], variables: ['GROK_AGENT'] },
    idlesPromptly: true,
  },
  registrations: [
    {
      movedBy: { variable: 'GROK_HOME', directory: '.grok' },
      evidence: ['.grok'],
      programs: ['grok'],
      files: [{ path: '.grok/hooks/hookbell.json', shape: 'wrapped' }],
      events: registered([...commonEvents, 'PostToolUseFailure', 'StopFailure', 'StopCancelled']),
      words: ['--agent', 'grok'],
      never: /^PreToolUse$/,
      afterwards: 'Restart Grok Build',
    },
  ],
  trial: {
    headless: ['grok', '-p'],
    events: ['SessionStart', 'UserPromptSubmit', 'Stop'],
    closing: ['SessionEnd'],
  },
  silentAbout: [],
} satisfies Dialect;

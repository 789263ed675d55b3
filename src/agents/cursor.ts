import type { Dialect, Meaning } from './support/dialect.ts';
import type { Payload } from './support/payload.ts';
import { prompt, turnEnd } from './support/readings.ts';
import { claudeEvents, registered, toolIdentity } from './support/registered-events.ts';

/** Cursor, which also runs the hooks of Claude Code: https://cursor.com/docs/agent/hooks */
export default {
  agent: 'cursor',
  name: 'Cursor',
  evidence: {
    // Grok Build reads its settings.
    isRunByOthers: true,
    proof: ({
      conversation_id: conversation,
      generation_id: generation,
      cursor_version: version,
    }) => (conversation ?? generation ?? version) !== undefined,
  },
  events: { ...claudeEvents, beforesubmitprompt: prompt, stop },
  identity(payload, { kind }) {
    const { event, generationId } = payload;
    const oncePerGeneration = kind === 'prompt' || kind.startsWith('turn.');
    if (!oncePerGeneration || event === null || generationId === null) return toolIdentity(payload);
    return [event.toLowerCase(), generationId];
  },
  traits: { processes: { programs: ['cursor-agent'], variables: ['CURSOR_AGENT'] } },
  registrations: [
    {
      evidence: ['.cursor'],
      programs: ['cursor-agent', 'cursor'],
      files: [{ path: '.cursor/hooks.json', shape: 'cursor' }],
      events: registered(['stop', 'sessionStart', 'sessionEnd']),
      words: ['--agent', 'cursor'],
      // They answer for the person: silence of a hook may be a refusal.
      never: /^(?:before|preToolUse$)/,
      afterwards: null,
    },
  ],
  trial: {
    headless: ['cursor-agent', '-p'],
    events: ['sessionStart', 'stop'],
    closing: ['sessionEnd'],
    lostHeadless: [],
  },
  silentAbout: ['needs.permission', 'needs.input'],
} satisfies Dialect;

function stop(payload: Payload): Meaning {
  const { status, lastWords: text } = payload;
  if (status === 'error') return { kind: 'turn.failed', text, reason: status };
  if (status === 'aborted') return { kind: 'turn.interrupted', text, reason: status };
  return turnEnd(payload);
}

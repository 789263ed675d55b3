import type { Dialect } from '../support/dialect.ts';
import { registered, toolIdentity } from '../support/registered-events.ts';
import { cursorVocabulary } from './vocabulary.ts';

/** Cursor, which also runs the hooks of Claude Code: https://cursor.com/docs/agent/hooks */
export default {
  agent: 'cursor',
  name: 'Cursor',
  evidence: {
    // Grok Build reads its settings.
    isRunByOthers: true,
    // Auggie and Letta Code name a conversation as well, but no event by a name that begins small.
    proof: ({
      conversation_id: conversation,
      generation_id: generation,
      cursor_version: version,
      hook_event_name: event,
    }) =>
      (generation ?? version) !== undefined ||
      (conversation !== undefined && /^[a-z]/.test(event ?? '')),
  },
  vocabulary: cursorVocabulary,
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
  },
  silentAbout: ['needs.permission', 'needs.input'],
} satisfies Dialect;

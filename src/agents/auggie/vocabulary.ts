import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import { notification, prompt, turnEnd } from '../support/readings.ts';
import { type Meaning, means, type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Auggie has few hooks, by names of Claude Code, and sends no notification although it knows the event. */
export const auggieVocabulary: Vocabulary = {
  source: {
    npm: '@augmentcode/auggie',
    version: '0.36.0',
    place: 'the list of hook events, and the function that makes their payloads',
  },
  events: {
    ...wordsFrom(claudeVocabulary.events, 'SessionStart SessionEnd PostToolUse PreToolUse'),
    PromptSubmit: means('prompt', 'a prompt is submitted', prompt),
    Stop: means(
      'turn.done',
      'a turn ends, fails or is interrupted: its `agent_stop_cause` says which',
      stopped,
    ),
    Notification: means('needs.input', 'known to the program, but nothing sends it', notification),
  },
  notifications: { info: means('needs.input', 'the only type') },
  also: [claudeVocabulary],
};

/** Causes by which the agent gives a turn up. */
const failures: readonly string[] = ['error', 'max_iterations', 'empty_completion'];

function stopped(payload: Payload): Meaning {
  const { reason, lastWords: text } = payload;
  if (reason === 'interrupted') return { kind: 'turn.interrupted', text, reason };
  return failures.includes(reason ?? '') ? { kind: 'turn.failed', text, reason } : turnEnd(payload);
}

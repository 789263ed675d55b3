import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import { inWords, notification, turnEnd } from '../support/readings.ts';
import { type Meaning, means, type Vocabulary, wordsFrom } from '../support/vocabulary.ts';

/** Letta Code has hooks of Claude Code, and untyped notifications in five fixed texts. */
export const lettaVocabulary: Vocabulary = {
  source: {
    npm: '@letta-ai/letta-code',
    version: '0.32.18',
    place: 'the types of its hooks, and the calls that send a notification',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart SessionEnd UserPromptSubmit PostToolUse PostToolUseFailure SubagentStop
      PermissionRequest PreToolUse PreCompact
    `,
    ),
    Stop: means('turn.done', 'a turn ends; its `stop_reason` may be an error', stopped),
    Notification: means('needs.input', 'its text says what happened', told),
  },
  notifications: {},
  also: [claudeVocabulary],
};

function stopped(payload: Payload): Meaning {
  const { reason, lastWords: text } = payload;
  if (reason === 'cancelled') return { kind: 'turn.interrupted', text, reason };
  return /error/.test(reason ?? '') ? { kind: 'turn.failed', text, reason } : turnEnd(payload);
}

/** Each text has an event of its own as well, except an error. */
function told(payload: Payload, vocabulary: Vocabulary): Meaning {
  const { message } = payload;
  if (message === 'Approval needed') return { kind: 'needs.permission', text: message };
  if (message === 'Turn completed, awaiting your input') return { kind: 'activity', text: message };
  return message?.endsWith(' error') === true
    ? { kind: 'turn.failed', text: inWords(message) }
    : notification(payload, vocabulary);
}

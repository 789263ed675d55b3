import { claudeVocabulary } from '../claude/vocabulary.ts';
import type { Payload } from '../support/payload.ts';
import { inWords, notification, turnEnd } from '../support/readings.ts';
import { type Meaning, type Vocabulary, wordsFrom, means } from '../support/vocabulary.ts';

/** The end of a turn; any other reason is the end of the session, which is reported as well. */
const END_OF_TURN = 'end_turn';

/** Grok Build says the events of Claude Code, which it calls by those names, too. */
export const grokVocabulary: Vocabulary = {
  source: {
    npm: '@xai-official/grok-linux-x64',
    version: '1.0.41',
    place: 'the manual in the program, and recordings',
  },
  events: {
    ...wordsFrom(
      claudeVocabulary.events,
      `
      SessionStart UserPromptSubmit PreToolUse PostToolUse PostToolUseFailure SubagentStart
      SubagentStop StopFailure PreCompact PostCompact
    `,
    ),
    Stop: means('turn.done', 'a turn ends', stopped),
    PermissionDenied: means('activity', 'its permission system has refused a call'),
    StopCancelled: means(
      'turn.failed',
      'it gave a turn up, or the person interrupted it: `cancelledBy` says which',
      stopCancelled,
    ),
    SessionEnd: {
      kind: 'session.end',
      when: 'a session ends, also that of a subagent',
      reading: ({ reason }) => ({ kind: 'session.end', text: null, reason }),
    },
    Notification: means(
      'needs.input',
      'it needs or tells the person something: see its types',
      notification,
    ),
  },
  notifications: {
    ...wordsFrom(claudeVocabulary.notifications, 'permission_prompt idle_prompt'),
    approval_required: means('needs.permission', 'it needs an approval'),
    agent_error: means('turn.failed', 'a turn failed', agentError),
    task_complete: means('activity', 'a task ended, and the agent goes on with it'),
    turn_complete: means('activity', 'a turn ended, which `Stop` reports'),
    session_ready: means('activity', 'a session is ready for its first prompt'),
  },
  also: [claudeVocabulary],
};

function stopped(payload: Payload): Meaning {
  return payload.reason === null || payload.reason === END_OF_TURN
    ? turnEnd(payload)
    : { kind: 'activity', text: null };
}

/** A turn that a person ended, by a key or by a refusal; or one that the agent gave up, such as at its limit of rounds. */
function stopCancelled(payload: Payload): Meaning {
  const { agentId, cancelledBy, lastWords, reason, reasonDetails } = payload;
  if (agentId !== null) return { kind: 'subagent.done', text: lastWords, reason };
  return cancelledBy === 'user'
    ? { kind: 'turn.interrupted', text: lastWords, reason }
    : { kind: 'turn.failed', text: reasonDetails ?? lastWords, reason };
}

function agentError({ agentId, message }: Payload): Meaning {
  return { kind: agentId === null ? 'turn.failed' : 'subagent.done', text: inWords(message) };
}

import type { Dialect, Meaning } from './support/dialect.ts';
import type { Payload } from './support/payload.ts';
import { inWords, notification, turnEnd } from './support/readings.ts';
import { claudeEvents } from './support/registered-events.ts';

/** The end of a turn; any other reason is the end of the session, which is reported as well. */
const END_OF_TURN = 'end_turn';

/** Types of notifications that no one waits for: something ended that the agent itself goes on with, or a turn, which `Stop` reports. */
const news: readonly string[] = ['task_complete', 'turn_complete', 'session_ready'];

/**
 * Grok Build, which runs the hooks of Claude Code's and Cursor's settings. Read from the manual in its program (1.0.41) and
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
  events: {
    ...claudeEvents,
    stop: (payload) =>
      payload.reason === null || payload.reason === END_OF_TURN
        ? turnEnd(payload)
        : { kind: 'activity', text: null },
    stopcancelled,
    // Also of a subagent, whose session of its own is over.
    sessionend: ({ reason }) => ({ kind: 'session.end', text: null, reason }),
    notification: notified,
  },
  // The time is that of the event, to the nanosecond, and the same for the hooks of all files.
  identity: ({ event, timestamp }) =>
    event === null || timestamp === null ? null : [event.toLowerCase(), timestamp],
  traits: {
    processes: { programs: ['grok'], packages: ['@xai-official/grok'], variables: ['GROK_AGENT'] },
    idlesPromptly: true,
  },
  registrations: [],
  trial: null,
  silentAbout: [],
} satisfies Dialect;

/** A turn that a person ended, by a key or by a refusal; or one that the agent gave up, such as at its limit of rounds. */
function stopcancelled({
  agentId,
  cancelledBy,
  lastWords,
  reason,
  reasonDetails,
}: Payload): Meaning {
  if (agentId !== null) return { kind: 'subagent.done', text: lastWords, reason };
  return cancelledBy === 'user'
    ? { kind: 'turn.interrupted', text: lastWords, reason }
    : { kind: 'turn.failed', text: reasonDetails ?? lastWords, reason };
}

function notified(payload: Payload): Meaning {
  const { notificationType: type, message, agentId } = payload;
  if (type === 'agent_error') {
    return { kind: agentId === null ? 'turn.failed' : 'subagent.done', text: inWords(message) };
  }
  return news.includes(type ?? '') ? { kind: 'activity', text: message } : notification(payload);
}

import type { AgentName } from '../core/hook-event.ts';
import { displayLine } from '../core/sanitize.ts';
import type { SessionEvent } from '../core/session-news.ts';
import type { SourceEvent } from '../core/source-event.ts';
import { durationText } from '../core/duration-text.ts';
import type { SeenSession } from './session-states.ts';

/** A session, and what is needed to speak of it. */
export interface Subject {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly seen: SeenSession;
  /** As in `SessionWatchPolicy`. */
  readonly link: string | null;
}

/** Its turn is over: as a hook's Stop would say it. */
export function turnEnded(subject: Subject, how: NonNullable<SeenSession['owed']>): SessionEvent {
  const text = {
    idle: 'The session is idle at the service',
    completed: 'The session is completed at the service',
    failed: 'The session failed at the service',
  }[how];
  return news(subject, {
    kind: how === 'failed' ? 'turn.failed' : 'turn.done',
    event: `remote.${how}`,
    message: withLink(text, subject),
  });
}

/** It works again, so what was told of it is over. */
export function runsAgain(subject: Subject): SessionEvent {
  return news(subject, { kind: 'prompt', event: 'remote.running', message: null });
}

/** The service does not know it any more. */
export function isGone(subject: Subject): SessionEvent {
  const message = 'The session is no longer at the service';
  return news(subject, { kind: 'session.end', event: 'remote.gone', message });
}

function news(
  { sessionId, agent, seen }: Subject,
  fields: Pick<SessionEvent, 'kind' | 'event' | 'message'>,
): SessionEvent {
  const { title, updatedAt, messages, phase } = seen;
  return {
    id: `session ${sessionId} ${fields.event} ${updatedAt}`,
    agent,
    sessionId,
    title,
    payload: { sessionId, phase, updatedAt, messages },
    ...fields,
  };
}

/** It waits to run, and nothing comes of it. */
export function hangsPending(subject: Subject, forMs: number): SourceEvent {
  return {
    ...about(subject, 'session.pending'),
    kind: 'notice',
    headline: `Session ${nameOf(subject)} is pending for more than ${durationText(forMs)}`,
    details: withLink(`hookbell service sessions get ${subject.sessionId}`, subject),
  };
}

export function noLongerPending(subject: Subject): SourceEvent {
  return {
    ...about(subject, 'session.moved'),
    kind: 'notice.over',
    headline: `Session ${nameOf(subject)} is no longer pending`,
    details: '',
  };
}

function about({ sessionId, seen }: Subject, event: string) {
  const { updatedAt, title, phase } = seen;
  return {
    id: `session ${sessionId} ${event} ${updatedAt}`,
    event,
    about: `session/${sessionId}`,
    failed: false,
    payload: { sessionId, title, phase },
  } as const;
}

function nameOf({ sessionId, seen }: Subject): string {
  const title = displayLine(seen.title ?? '');
  return title === '' ? sessionId : `"${title}"`;
}

function withLink(text: string, { link, sessionId }: Subject): string {
  if (link === null) return text;
  return `${text}\n${link.replaceAll('{session_id}', encodeURIComponent(sessionId))}`;
}

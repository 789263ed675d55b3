import { z } from 'zod';

import {
  type Session,
  type SessionListItem,
  type SessionPhase,
  sessionPhase,
  sessionPhases,
} from '../client/index.ts';
import { durationText } from '../../text/duration.ts';
import type { AgentName } from '../../core/hook-event.ts';
import { displayLine } from '../../text/sanitize.ts';
import type { SessionEvent, SourceEvent } from '../../core/source-event.ts';

/** What is remembered of a session. Times are those of this machine, Unix ms, where nothing else is said. */
const seenSchema = z.object({
  phase: z.enum(sessionPhases),
  /** When it was first seen in this phase, or this turn to be over. */
  since: z.number(),
  title: z.string().nullable(),
  /** By the service's clock. */
  updatedAt: z.number(),
  /** By the service's clock; null: it was not. */
  completedAt: z.number().nullable(),
  messages: z.number(),
  /** When its turn had not begun yet: a hook that speaks up later belongs to this turn. */
  turnFrom: z.number(),
  /** A turn that is over and was not told of yet. */
  owed: z.enum(['idle', 'completed', 'failed']).nullable(),
  /** What people were told, and not that it is over. */
  told: z.enum(['ended', 'pending']).nullable(),
});
export type SeenSession = z.output<typeof seenSchema>;

export const sessionsMemorySchema = z.object({
  /** When this was written. */
  at: z.number(),
  /** The latest beginning of a session that was seen, by the service's clock. */
  newest: z.number(),
  sessions: z.record(z.string(), seenSchema),
});

interface Sighting {
  readonly now: number;
  /** When it was looked at before this. */
  readonly lastLookAt: number;
  /** True where it began since then: then all of it is news. */
  readonly isNewborn: boolean;
}

export function isWorking({ phase }: { readonly phase: SessionPhase }): boolean {
  return phase === 'running' || phase === 'pending';
}

/** True where a list says that something became of the session. */
export function hasMoved(before: SeenSession, item: SessionListItem): boolean {
  return before.updatedAt !== item.updatedAt || before.messages !== item.messageCount;
}

/** Follows a session from one look to the next. What was there at first sight is owed to nobody. */
export function follow(
  before: SeenSession | null,
  session: Session | SessionListItem,
  sighting: Sighting,
): SeenSession {
  const { now, lastLookAt, isNewborn } = sighting;
  const phase = sessionPhase(session);
  const facts = {
    phase,
    title: session.title ?? null,
    updatedAt: session.updatedAt,
    completedAt: session.completedAt ?? null,
    messages: session.messageCount,
  };
  if (before === null) {
    const hadTurn = isNewborn && facts.messages >= 2;
    const owed = hadTurn ? endOf({ completedAt: null }, facts) : null;
    return { ...facts, since: now, turnFrom: session.createdAt, owed, told: null };
  }
  const after = { ...before, ...facts, since: Math.min(before.since, now) };
  if (phase !== before.phase) after.since = now;
  if (isWorking(after)) {
    const isNewTurn = !isWorking(before);
    return { ...after, ...(isNewTurn && { turnFrom: lastLookAt }), owed: null };
  }
  if (isWorking(before)) return { ...after, owed: endOf(before, facts) };
  const isNewFailure = phase === 'failed' && before.phase !== 'failed';
  // A whole turn between two looks leaves a question and an answer; a change of the title leaves neither.
  if (!isNewFailure && facts.messages < before.messages + 2) return after;
  return { ...after, since: now, turnFrom: lastLookAt, owed: endOf(before, facts) };
}

/** How a turn ended; null where the service does not say that it did. */
function endOf(
  before: Pick<SeenSession, 'completedAt'>,
  { phase, completedAt }: Pick<SeenSession, 'phase' | 'completedAt'>,
): SeenSession['owed'] {
  if (phase === 'failed') return 'failed';
  if (phase !== 'done') return null;
  return completedAt !== null && completedAt !== before.completedAt ? 'completed' : 'idle';
}

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

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
import type { SessionEvent, SourceEvent, LastHook } from '../../core/source-event.ts';
import type { SessionPollPolicy } from '../../config/poller-schema.ts';
import { SERVICE_AGENT } from '../../core/looked-up.ts';
import type { PollerParts } from './poller.ts';

/** Remembered state of a session. Times are of this machine, Unix ms, unless noted. */
const seenSchema = z.object({
  phase: z.enum(sessionPhases),
  /** When this phase, or the end of this turn, was first seen. */
  since: z.number(),
  title: z.string().nullable(),
  /** By the service's clock. */
  updatedAt: z.number(),
  /** By the service's clock; null: not completed. */
  completedAt: z.number().nullable(),
  messages: z.number(),
  /** A time before the turn began: later hook events belong to this turn. */
  turnFrom: z.number(),
  /** The end of a turn that was not notified yet. */
  owed: z.enum(['idle', 'completed', 'failed']).nullable(),
  /** What was notified and not yet resolved. */
  told: z.enum(['ended', 'pending']).nullable(),
});
export type SeenSession = z.output<typeof seenSchema>;

export const sessionsMemorySchema = z.object({
  at: z.number(),
  /** The latest start of a session seen, by the service's clock. */
  newest: z.number(),
  sessions: z.record(z.string(), seenSchema),
});

interface Sighting {
  readonly now: number;
  /** Time of the previous poll. */
  readonly lastLookAt: number;
  /** True if it began since then: then all of it is new. */
  readonly isNewborn: boolean;
}

export function isWorking({ phase }: { readonly phase: SessionPhase }): boolean {
  return phase === 'running' || phase === 'pending';
}

/** True if a list shows a change of the session. */
export function hasMoved(before: SeenSession, item: SessionListItem): boolean {
  return before.updatedAt !== item.updatedAt || before.messages !== item.messageCount;
}

/** Follows a session from one poll to the next. The state at the first poll is not notified. */
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
  // A whole turn between two polls adds a question and an answer; a change of the title adds neither.
  if (!isNewFailure && facts.messages < before.messages + 2) return after;
  return { ...after, since: now, turnFrom: lastLookAt, owed: endOf(before, facts) };
}

/** How a turn ended; null if the service does not report its end. */
function endOf(
  before: Pick<SeenSession, 'completedAt'>,
  { phase, completedAt }: Pick<SeenSession, 'phase' | 'completedAt'>,
): SeenSession['owed'] {
  if (phase === 'failed') return 'failed';
  if (phase !== 'done') return null;
  return completedAt !== null && completedAt !== before.completedAt ? 'completed' : 'idle';
}

export interface Subject {
  readonly sessionId: string;
  readonly agent: AgentName;
  readonly seen: SeenSession;
  /** Address of the session's page at the service. */
  readonly link: string | null;
}

/** Its turn is over, like a hook's Stop. */
export function turnEnded(subject: Subject, how: NonNullable<SeenSession['owed']>): SessionEvent {
  const text = {
    idle: 'The session is idle at the service',
    completed: 'The session is completed at the service',
    failed: 'The session failed at the service',
  }[how];
  return sessionEvent(subject, {
    kind: how === 'failed' ? 'turn.failed' : 'turn.done',
    event: `remote.${how}`,
    message: withLink(text, subject),
  });
}

/** The session works again, which resolves its alerts. */
export function runsAgain(subject: Subject): SessionEvent {
  return sessionEvent(subject, { kind: 'prompt', event: 'remote.running', message: null });
}

/** The service no longer has it. */
export function sessionGone(subject: Subject): SessionEvent {
  const message = 'The session no longer exists at the service';
  return sessionEvent(subject, { kind: 'session.end', event: 'remote.gone', message });
}

function sessionEvent(
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

/** The session has been pending for too long. */
export function hangsPending(subject: Subject, forMs: number): SourceEvent {
  return {
    ...about(subject, 'session.pending'),
    kind: 'notice',
    headline: `Session ${nameOf(subject)} has been pending for more than ${durationText(forMs)}`,
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

export interface SessionNotifierOptions extends Pick<
  PollerParts,
  'raise' | 'raiseSessionEvent' | 'lastHook' | 'now'
> {
  readonly policy: Pick<SessionPollPolicy, 'pendingMs' | 'link'>;
}

/** How long to wait for a hook if hooks reported the session before: its event may be on the way. */
const HOOK_GRACE_MS = 60_000;

export function createSessionNotifier(options: SessionNotifierOptions) {
  const { policy, raise, raiseSessionEvent, lastHook, now } = options;
  /** The service runs the vendor's own agent, so sessions without hook events belong to it. */
  function subjectOf(sessionId: string, seen: SeenSession, hook: LastHook | null): Subject {
    return { sessionId, seen, link: policy.link, agent: hook?.agent ?? SERVICE_AGENT };
  }

  async function takeBack(subject: Subject): Promise<void> {
    const { told: notified } = subject.seen;
    if (notified === 'pending') await raise(noLongerPending(subject));
    if (notified === 'ended') await raiseSessionEvent(runsAgain(subject));
  }

  async function raiseDueEvent(subject: Subject): Promise<SeenSession> {
    const { seen } = subject;
    if (seen.owed === null) {
      await raise(hangsPending(subject, policy.pendingMs));
      return { ...seen, told: 'pending' };
    }
    await raiseSessionEvent(turnEnded(subject, seen.owed));
    return { ...seen, owed: null, told: 'ended' };
  }

  function hasDueEvent({ phase, since, told: notified, owed }: SeenSession): boolean {
    const hangs = phase === 'pending' && now() - since > policy.pendingMs;
    return owed !== null || (hangs && notified !== 'pending');
  }

  return {
    /** Raises what is due and records it. @param before null: never seen before */
    async notify(id: string, before: SeenSession | null, seen: SeenSession): Promise<SeenSession> {
      let after = seen;
      if (isOver(before, seen)) {
        await takeBack(subjectOf(id, seen, await lastHook(id)));
        after = { ...seen, told: null };
      }
      if (!hasDueEvent(after)) return after;
      const hook = await lastHook(id);
      if (hook !== null && hook.at >= after.turnFrom) return { ...after, owed: null };
      if (hook !== null && now() - after.since < HOOK_GRACE_MS) return after;
      return raiseDueEvent(subjectOf(id, after, hook));
    },
    async forget(id: string, seen: SeenSession): Promise<void> {
      const subject = subjectOf(id, seen, await lastHook(id));
      if (seen.told === 'pending') await raise(noLongerPending(subject));
      if (seen.told === 'ended') await raiseSessionEvent(sessionGone(subject));
    },
  };
}

/** Whether the last notification no longer applies. */
function isOver(before: SeenSession | null, seen: SeenSession): boolean {
  if (seen.told === 'pending') return seen.phase !== 'pending';
  return seen.told === 'ended' && before !== null && isWorking(seen);
}

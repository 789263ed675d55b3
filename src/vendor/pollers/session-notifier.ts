import type { SessionPollPolicy } from '../../config/poller-schema.ts';
import { SERVICE_AGENT } from '../../core/looked-up.ts';
import type { LastHook } from '../../core/source-event.ts';
import {
  hangsPending,
  sessionGone,
  isWorking,
  noLongerPending,
  runsAgain,
  type SeenSession,
  type Subject,
  turnEnded,
} from './session-events.ts';
import type { PollerParts } from './poller.ts';

export interface SessionNotifierOptions extends Pick<
  PollerParts,
  'raise' | 'raiseSessionEvent' | 'lastHook' | 'now'
> {
  readonly policy: Pick<SessionPollPolicy, 'pendingMs' | 'link'>;
}

/** Raises the events of a session and records which were raised. */
export interface SessionNotifier {
  /** @param before null: never seen before */
  notify(id: string, before: SeenSession | null, seen: SeenSession): Promise<SeenSession>;
  /** The session no longer exists. */
  forget(id: string, seen: SeenSession): Promise<void>;
}

/** How long to wait for a hook if hooks reported the session before: its event may be on the way. */
const HOOK_GRACE_MS = 60_000;

export function createSessionNotifier({
  policy,
  raise,
  raiseSessionEvent,
  lastHook,
  now,
}: SessionNotifierOptions): SessionNotifier {
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
    async notify(id, before, seen) {
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
    async forget(id, seen) {
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

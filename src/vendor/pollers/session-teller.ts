import type { SessionPollPolicy } from '../../config/poller-schema.ts';
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
import type { SourceParts } from './poller.ts';

export interface SessionTellerOptions extends Pick<
  SourceParts,
  'raise' | 'raiseNews' | 'lastHook' | 'now'
> {
  readonly policy: Pick<SessionPollPolicy, 'pendingMs' | 'link'>;
}

/** Raises the events of a session and records which were raised. */
export interface SessionTeller {
  /** @param before null: never seen before */
  tell(id: string, before: SeenSession | null, seen: SeenSession): Promise<SeenSession>;
  /** The session no longer exists. */
  forget(id: string, seen: SeenSession): Promise<void>;
}

/** How long to wait for a hook if hooks reported the session before: its event may be on the way. */
const HOOK_GRACE_MS = 60_000;

export function createSessionTeller({
  policy,
  raise,
  raiseNews,
  lastHook,
  now,
}: SessionTellerOptions): SessionTeller {
  /** The service runs the vendor's own agent, so sessions without hook events belong to it. */
  function subjectOf(sessionId: string, seen: SeenSession, hook: LastHook | null): Subject {
    return { sessionId, seen, link: policy.link, agent: hook?.agent ?? 'droid' };
  }

  async function takeBack(subject: Subject): Promise<void> {
    const { told: notified } = subject.seen;
    if (notified === 'pending') await raise(noLongerPending(subject));
    if (notified === 'ended') await raiseNews(runsAgain(subject));
  }

  async function tellNews(subject: Subject): Promise<SeenSession> {
    const { seen } = subject;
    if (seen.owed === null) {
      await raise(hangsPending(subject, policy.pendingMs));
      return { ...seen, told: 'pending' };
    }
    await raiseNews(turnEnded(subject, seen.owed));
    return { ...seen, owed: null, told: 'ended' };
  }

  function hasNews({ phase, since, told: notified, owed }: SeenSession): boolean {
    const hangs = phase === 'pending' && now() - since > policy.pendingMs;
    return owed !== null || (hangs && notified !== 'pending');
  }

  return {
    async tell(id, before, seen) {
      let after = seen;
      if (isOver(before, seen)) {
        await takeBack(subjectOf(id, seen, await lastHook(id)));
        after = { ...seen, told: null };
      }
      if (!hasNews(after)) return after;
      const hook = await lastHook(id);
      if (hook !== null && hook.at >= after.turnFrom) return { ...after, owed: null };
      if (hook !== null && now() - after.since < HOOK_GRACE_MS) return after;
      return tellNews(subjectOf(id, after, hook));
    },
    async forget(id, seen) {
      const subject = subjectOf(id, seen, await lastHook(id));
      if (seen.told === 'pending') await raise(noLongerPending(subject));
      if (seen.told === 'ended') await raiseNews(sessionGone(subject));
    },
  };
}

/** Whether the last notification no longer applies. */
function isOver(before: SeenSession | null, seen: SeenSession): boolean {
  if (seen.told === 'pending') return seen.phase !== 'pending';
  return seen.told === 'ended' && before !== null && isWorking(seen);
}

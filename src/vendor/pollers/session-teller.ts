import type { SessionPollPolicy } from '../../core/vendor-policy.ts';
import type { LastHook } from '../../core/source-event.ts';
import {
  hangsPending,
  isGone,
  isWorking,
  noLongerPending,
  runsAgain,
  type SeenSession,
  type Subject,
  turnEnded,
} from './session-events.ts';
import type { SourceParts } from './source.ts';

export interface SessionTellerOptions extends Pick<
  SourceParts,
  'raise' | 'raiseNews' | 'lastHook' | 'now'
> {
  readonly policy: Pick<SessionPollPolicy, 'pendingMs' | 'link'>;
}

/** Raises what is to be told of a session, and remembers with it what was. */
export interface SessionTeller {
  /** @param before null: it was never seen before */
  tell(id: string, before: SeenSession | null, seen: SeenSession): Promise<SeenSession>;
  /** There is no such session any more. */
  forget(id: string, seen: SeenSession): Promise<void>;
}

/** A session hooks have told of before is left to them for so long: their word may be on its way. */
const HOOK_GRACE_MS = 60_000;

export function createSessionTeller({
  policy,
  raise,
  raiseNews,
  lastHook,
  now,
}: SessionTellerOptions): SessionTeller {
  /** The service runs the vendor's own agent, so a session no hook told of is one of its. */
  function subjectOf(sessionId: string, seen: SeenSession, hook: LastHook | null): Subject {
    return { sessionId, seen, link: policy.link, agent: hook?.agent ?? 'droid' };
  }

  async function takeBack(subject: Subject): Promise<void> {
    const { told } = subject.seen;
    if (told === 'pending') await raise(noLongerPending(subject));
    if (told === 'ended') await raiseNews(runsAgain(subject));
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

  function hasNews({ phase, since, told, owed }: SeenSession): boolean {
    const hangs = phase === 'pending' && now() - since > policy.pendingMs;
    return owed !== null || (hangs && told !== 'pending');
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
      if (seen.told === 'ended') await raiseNews(isGone(subject));
    },
  };
}

/** Whether what was told does not hold any more. */
function isOver(before: SeenSession | null, seen: SeenSession): boolean {
  if (seen.told === 'pending') return seen.phase !== 'pending';
  return seen.told === 'ended' && before !== null && isWorking(seen);
}

import {
  type AgentStatement,
  FAILED_TURN,
  FIRST_QUESTION,
  isWithoutHooks,
  LATE_HOOK,
  seenIn,
} from '../core/agent/witness.ts';
import type { Decision } from '../core/decision.ts';
import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import type { Session } from '../core/session.ts';

/*
 * Two witnesses know of a wait: the hooks of an agent, and what the agent itself writes about its session. This file is the
 * one place that joins them. The hook comes first where it works, so a statement waits a moment for it. What a hook has
 * reported is not raised again, and what was raised makes the hook that comes later a repetition.
 */

/** Hook and statement about one thing are at most this far apart, ms: the hook runs when a dialog opens. */
const SAME_MS = 5_000;
/** A busy machine starts hooks late, and Claude Code notifies of a dialog once more after six seconds, ms. */
const LATE_HOOK_MS = 12_000;
/** How long a statement waits for the hook, ms: of a wait, of an answer, of the end of a turn, of a turn or session. */
const WAIT_MS = 800;
const ANSWER_MS = 300;
const END_MS = 1_500;
const BEGIN_MS = 2_000;
/** Patience for the hook alone, and the part of it without hooks. A new turn may follow the end of one. */
const forHooks: readonly number[] = [WAIT_MS, ANSWER_MS, BEGIN_MS];
const ALONE = 0.1;
/** Most of these dialogs were opened by the person, who closes them before, ms. */
const OWN_DIALOG_MS = 20_000;
const ownDialogs: readonly string[] = ['dialog open', FIRST_QUESTION];

/** The reason of `nothing` for a wait that a hook has reported. */
export const HOOK_FIRST = 'a hook has reported this wait';

/**
 * What to do about a statement. `wait`: look again after this time. `raise`: it becomes an event.
 *
 * - `waiting`, `ended`: as stated. `answered`: the wait of the session is over.
 * - `turn`: a turn has begun. `end`: the turn is over. `present`: a session that was not known is at its prompt.
 */
export type Judgement =
  | { readonly type: 'nothing'; readonly reason: string }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'raise'; readonly as: SeenChange };
export type SeenChange = 'waiting' | 'answered' | 'turn' | 'end' | 'present' | 'ended';

/**
 * Compares a statement, which was read just now, with what is known of its session.
 *
 * @param session null: nothing is
 * @param now wall time, Unix ms
 * @param ageMs for how long the agent says so, on a clock that no one sets
 */
export function judgeStatement(
  session: Session | null,
  statement: AgentStatement,
  { now, ageMs }: { readonly now: number; readonly ageMs: number },
): Judgement {
  const told = session === null ? null : seenIn(session.facts);
  if (told?.state === statement.state && told.since === statement.since)
    return nothing('it was reported already');
  const found = changeIn(session, statement, now);
  if (typeof found === 'string') return nothing(found);
  const [as, forHookMs] = found;
  // No hook is expected of a session that never had one.
  const isAlone = session !== null && isWithoutHooks(session.facts);
  const patienceMs = isAlone && forHooks.includes(forHookMs) ? forHookMs * ALONE : forHookMs;
  return ageMs >= patienceMs
    ? { type: 'raise', as }
    : { type: 'wait', ms: Math.max(1, Math.ceil(patienceMs - ageMs)) };
}

function nothing(reason: string): Judgement {
  return { type: 'nothing', reason };
}

/** What changes, and how long it waits for a hook, ms; a text: why nothing does. */
function changeIn(
  session: Session | null,
  { state, since: said, waitingFor }: AgentStatement,
  now: number,
): readonly [SeenChange, number] | string {
  const known = session?.state ?? null;
  const since = Math.min(said, now);
  // A state that begins in the future is from before the clock was set back.
  const isNewer = session === null || since > session.stateSince || session.stateSince > now;
  switch (state) {
    case 'waiting': {
      const isReported = known === 'waiting' && session!.stateSince >= since - SAME_MS;
      if (isReported) return HOOK_FIRST;
      return ['waiting', ownDialogs.includes(waitingFor ?? '') ? OWN_DIALOG_MS : WAIT_MS];
    }
    case 'working':
      if (known === 'working') return 'the session works';
      if (!isNewer) return 'a hook has reported something newer';
      return known === 'waiting' ? ['answered', ANSWER_MS] : ['turn', BEGIN_MS];
    case 'idle':
      if (session === null) return ['present', BEGIN_MS];
      if (known !== 'working' && known !== 'waiting') return 'the session is at its prompt';
      if (!isNewer) return 'a hook has reported something newer';
      return isExplained(session, since) ? 'its work goes on in the background' : ['end', END_MS];
    case 'ended':
      return known === null || known === 'ended' ? 'the session has ended' : ['ended', 0];
  }
}

/** A hook has reported the end of the turn, and that background work or a wake-up follows. */
function isExplained({ lastKind, lastEventAt, state }: Session, since: number): boolean {
  return state === 'working' && lastKind === 'activity' && lastEventAt >= since - SAME_MS;
}

/**
 * Stops an event that says what the other witness has said before. Events that are made of statements are judged again,
 * inside the transaction: a hook may have been faster.
 *
 * @returns null when the event is news
 */
export function joinWitness(event: HookEvent, session: Session | null): Decision | null {
  const why =
    whyEnded(event, session) ??
    (isSeen(event) ? whyKnown(event, session) : whyLate(event, session));
  return why === null ? null : { stage: 'repeat', verdict: 'stop', reason: why };
}

/** A hook reported the end of a failed turn while its transcript was read. */
function whyEnded({ event }: HookEvent, session: Session | null): string | null {
  if (event !== FAILED_TURN || session?.state === 'working') return null;
  return 'Nothing new: a hook has reported the end of this turn';
}

function isSeen({ facts }: Pick<HookEvent, 'facts'>): boolean {
  return facts.seen !== undefined;
}

function whyKnown(
  { facts, reason, receivedAt: now }: HookEvent,
  session: Session | null,
): string | null {
  const seen = seenIn(facts);
  if (seen === null) return 'The statement of the agent cannot be read';
  const statement = { ...seen, waitingFor: reason };
  const judged = judgeStatement(session, statement, { now, ageMs: Number.POSITIVE_INFINITY });
  return judged.type === 'nothing' ? `Nothing new: ${judged.reason}` : null;
}

/** A hook that arrives after what the agent wrote about the same moment was taken for it. */
function whyLate(
  { kind, at, receivedAt, sessionId }: HookEvent,
  session: Session | null,
): string | null {
  const seen = session === null ? null : seenIn(session.facts);
  if (session === null || seen === null || sessionId === null) return null;
  // The clock was set back.
  if (seen.since > receivedAt) return null;
  const lateMs = seen.since - at;
  if (isWaiting(kind)) {
    if (seen.state !== 'waiting')
      return lateMs > 0
        ? `The wait was over ${LATE_HOOK}: the record of the session says so`
        : null;
    const isSame = session.state === 'waiting' && lateMs >= -LATE_HOOK_MS;
    return isSame ? `The record of the session has shown this wait ${LATE_HOOK}` : null;
  }
  if (kind !== 'turn.done' && kind !== 'turn.failed') return null;
  const isOver = session.state === 'done' || session.state === 'failed';
  const isSame = seen.state === 'idle' && isOver && session.turnStartedAt === null;
  return lateMs > 0 || (isSame && lateMs >= -SAME_MS)
    ? `The record of the session has shown the end of this turn ${LATE_HOOK}`
    : null;
}

import type { AgentTraits, Refinement } from '../core/agent/agent-traits.ts';
import type { Decision } from '../core/decision.ts';
import type { HookEvent } from '../core/hook-event.ts';
import type { Session, UsageLimit } from '../core/session.ts';
import type { LimitMemory } from '../core/store.ts';
import { isoTime, localTimezone } from '../platform/time.ts';
import { usageLimitIn } from '../text/usage-limit.ts';

/** Two programs that read one limit may round its end differently, ms. */
const SAME_END_MS = 90_000;
/** A limit of unknown length lasts this long at most, ms: then a failure is news again. */
const UNKNOWN_LASTS_MS = 6 * 3_600_000;

/** The usage limit that a failure reports; null for any other event. Times without a zone are those of the machine. */
export function limitHit(event: HookEvent): UsageLimit | null {
  if (!event.failed || event.subagent) return null;
  // Claude Code names the kind of failure apart from a text that may only say when it is over.
  const type = event.reason?.replaceAll('_', ' ');
  const words = [type, event.message, event.failure].filter((text) => text != null).join('\n');
  const zone = event.machine === null ? localTimezone() : null;
  const found = words === '' ? null : usageLimitIn(words, event.at, zone);
  return found && { ...found, since: event.at, eventId: event.id, told: false };
}

/** The limit of the session after an event. Work shows that it is over; a prompt alone is an attempt. */
export function limitAfter(
  event: HookEvent,
  before: UsageLimit | null,
  { limitEnds }: Pick<AgentTraits, 'limitEnds'>,
): UsageLimit | null {
  const hit = limitHit(event);
  if (hit !== null) return hit;
  if (before === null || event.subagent) return before;
  const type = event.notificationType ?? '';
  if (limitEnds?.goesOn.includes(type) === true)
    return before.told ? null : { ...before, told: true };
  if (limitEnds?.waits.includes(type) === true) return { ...before, until: event.at };
  const isOver = ['tool.done', 'turn.done', 'session.end'].includes(event.kind);
  return isOver || event.wakes !== undefined ? null : before;
}

/**
 * What an agent's own message about the end of a limit means. One message reports it and names all sessions that it
 * stopped (daemon/time-watch.ts). An agent that waits for a key only brings it forward; the first session that has gone on
 * by itself is the message itself, unless the end is known already.
 */
export function limitChange(
  { notificationType, kind }: HookEvent,
  session: Session | null,
  limits: (() => LimitMemory) | undefined,
  { limitEnds }: Pick<AgentTraits, 'limitEnds'>,
): Refinement | null {
  const limit = session?.usageLimit ?? null;
  if (limit === null || notificationType === null || kind === 'activity') return null;
  const comes = limitEnds?.waits.includes(notificationType) === true;
  const isKnown = (): boolean => limit.told || isKnownToEnd(limit, limits?.());
  return comes || (limitEnds?.goesOn.includes(notificationType) === true && isKnown())
    ? { kind: 'activity', reason: 'one message tells that the usage limit is over' }
    : null;
}

function isKnownToEnd({ until }: UsageLimit, memory: LimitMemory | undefined): boolean {
  if (memory === undefined || until === null) return false;
  const { sessions, succeededAt } = memory;
  const isReported = sessions.some(
    ({ usageLimit }) => usageLimit?.told === true && isSameEnd(usageLimit.until, until),
  );
  return isReported || (succeededAt !== null && succeededAt >= until);
}

function isSameEnd(one: number | null, other: number): boolean {
  return one !== null && Math.abs(one - other) < SAME_END_MS;
}

/**
 * Whether the limit was reported already and lasts: a limit is one alert, however many sessions it stops and however
 * often a person tries.
 *
 * @returns null where it is news
 */
export function repeatedLimit(
  event: HookEvent,
  session: Session | null,
  limits: (() => LimitMemory) | undefined,
): Decision | null {
  const hit = limitHit(event);
  if (hit === null || limits === undefined) return null;
  const { sessions, succeededAt } = limits();
  const known = [...sessions, ...(session === null ? [] : [session])].find(
    ({ usageLimit }) =>
      usageLimit !== null &&
      usageLimit.eventId !== event.id &&
      isSame(usageLimit, hit, succeededAt),
  )?.usageLimit;
  if (known == null) return null;
  const until = known.until === null ? '' : `, until ${isoTime(known.until)}`;
  const reason = `The ${known.what} is known since event ${known.eventId}${until}: one limit is one alert`;
  return { stage: 'repeat', verdict: 'stop', reason };
}

function isSame(known: UsageLimit, hit: UsageLimit, succeededAt: number | null): boolean {
  const { since } = hit;
  if (known.told || known.since > since) return false;
  if (known.until !== null) {
    const isEqual = hit.until === null || isSameEnd(known.until, hit.until);
    return since < known.until && isEqual;
  }
  // The end is what a person did not know yet.
  if (hit.until !== null) return false;
  const isOver = succeededAt !== null && succeededAt > known.since;
  return !isOver && since - known.since < UNKNOWN_LASTS_MS;
}

import type { HookEvent } from '../core/hook-event.ts';
import type { CreditsAtStop, LookedUp } from '../core/looked-up.ts';
import { nothingLookedUp } from '../core/looked-up.ts';
import type { Known } from './look-up.ts';

/** What growth is reckoned from: the stop in question and the one before it. */
const STOPS_KEPT = 2;

/**
 * What is known of a session after a look: the same object where nothing is new, so that nothing needs to be kept. What
 * the service does not say any more stays as it was.
 */
export function mergeLookedUp(
  before: LookedUp | null,
  {
    known,
    transcriptTitle,
    event,
  }: {
    readonly known: Known | null;
    readonly transcriptTitle: string | null;
    readonly event: HookEvent;
  },
): LookedUp | null {
  const base = before ?? nothingLookedUp;
  const told = known !== null && isNews(known, base) ? withAnswer(base, known) : base;
  const titled =
    transcriptTitle === null || transcriptTitle === told.transcriptTitle
      ? told
      : { ...told, transcriptTitle };
  const stop = known === null ? null : stopOf(event, known, base.stops);
  const after =
    stop === null ? titled : { ...titled, stops: [stop, ...base.stops].slice(0, STOPS_KEPT) };
  return after === nothingLookedUp ? before : after;
}

/** The name of the computer comes a moment after the rest. */
function isNews({ askedAt, computer }: Known, base: LookedUp): boolean {
  return askedAt > base.askedAt || (computer !== null && base.computer === null);
}

function withAnswer(base: LookedUp, { askedAt, session, computer }: Known): LookedUp {
  return {
    ...base,
    askedAt,
    title: session.title ?? base.title,
    computer: computer ?? base.computer,
    activeMs: session.activeMs ?? base.activeMs,
    credits: session.credits ?? base.credits,
  };
}

/** The end of a turn, where the service was asked after it and it is not known yet. */
function stopOf(
  { id: eventId, kind, at }: HookEvent,
  { askedAt, session: { credits } }: Known,
  stops: readonly CreditsAtStop[],
): CreditsAtStop | null {
  const latest = stops[0]?.at ?? 0;
  if (kind !== 'turn.done' || credits === null || askedAt < at || at <= latest) return null;
  return { eventId, at, credits };
}

import type { HookEvent } from '../core/hook-event.ts';
import { type Log, silentLog } from '../platform/log.ts';
import { type CreditsAtStop, type LookedUp, nothingLookedUp } from '../core/looked-up.ts';
import type { Session, SessionStore } from '../core/session.ts';
import type { ClaimedDelivery } from '../core/outbox.ts';
import {
  type CachedSession,
  createShortMemory,
  idAtService,
  type LookUp,
  WAIT_MS,
} from './look-up.ts';
import { pause, type StartTimer } from '../platform/time.ts';

/** Growth is computed from the current stop and the one before it. */
const STOPS_KEPT = 2;

/** Returns the same object if nothing is new, so that nothing is stored. Values that are no longer reported stay. */
export function mergeLookedUp(
  before: LookedUp | null,
  {
    known,
    transcriptTitle,
    event,
  }: { known: CachedSession | null; transcriptTitle: string | null; event: HookEvent },
): LookedUp | null {
  const base = before ?? nothingLookedUp;
  const answered = known !== null && isNews(known, base) ? withAnswer(base, known) : base;
  const titled =
    transcriptTitle === null || transcriptTitle === answered.transcriptTitle
      ? answered
      : { ...answered, transcriptTitle };
  const stop = known === null ? null : stopOf(event, known, base.stops);
  const after =
    stop === null ? titled : { ...titled, stops: [stop, ...base.stops].slice(0, STOPS_KEPT) };
  return after === nothingLookedUp ? before : after;
}

/** The name of the computer arrives shortly after the rest. */
function isNews({ askedAt, computer }: CachedSession, base: LookedUp): boolean {
  return askedAt > base.askedAt || (computer !== null && base.computer === null);
}

function withAnswer(base: LookedUp, { askedAt, session, computer }: CachedSession): LookedUp {
  return {
    ...base,
    askedAt,
    title: session.title ?? base.title,
    computer: computer ?? base.computer,
    activeMs: session.activeMs ?? base.activeMs,
    credits: session.credits ?? base.credits,
  };
}

/** The end of a turn, if the service was asked after it and it is not recorded yet. */
function stopOf(
  { id: eventId, kind, at }: HookEvent,
  { askedAt, session: { credits } }: CachedSession,
  stops: readonly CreditsAtStop[],
): CreditsAtStop | null {
  const latest = stops[0]?.at ?? 0;
  if (kind !== 'turn.done' || credits === null || askedAt < at || at <= latest) return null;
  return { eventId, at, credits };
}

const TRANSCRIPT_MS = 600_000;
const NO_TRANSCRIPT_MS = 60_000;

/** Reads the title of a session from the agent's transcript; null if it has none. Never rejects. */
export type ReadTranscriptTitle = (path: string) => Promise<string | null>;

export type Enricher = ReturnType<typeof createEnricher>;

/** Adds looked-up details to the sessions of deliveries. */
export function createEnricher({
  lookUp,
  readTranscriptTitle,
  sessions,
  now,
  startTimer,
  log = silentLog,
}: {
  /** By the current configuration; null: the service is not asked. */
  readonly lookUp: () => LookUp | null;
  readonly readTranscriptTitle: ReadTranscriptTitle;
  readonly sessions: Pick<SessionStore, 'noteLookedUp'>;
  readonly now: () => number;
  readonly startTimer: StartTimer;
  readonly log?: Log;
}) {
  const stopping = new AbortController();
  /** '' for a transcript without a title. */
  const transcriptTitles = createShortMemory<string>(now);
  const work = new Set<Promise<void>>();

  function knownOf(session: Session): CachedSession | null {
    const id = idAtService(session);
    return id === null ? null : (lookUp()?.cached(id) ?? null);
  }

  function lookedUp(session: Session, event: HookEvent): LookedUp | null {
    const transcriptTitle = transcriptTitles.get(session.key) || null;
    return mergeLookedUp(session.lookedUp, { known: knownOf(session), transcriptTitle, event });
  }

  function enriched(claimed: ClaimedDelivery): ClaimedDelivery {
    const { session, event } = claimed;
    if (session === null) return claimed;
    return { ...claimed, session: { ...session, lookedUp: lookedUp(session, event) } };
  }

  async function keep(session: Session, event: HookEvent): Promise<void> {
    if (lookedUp(session, event) === session.lookedUp) return;
    try {
      await sessions.noteLookedUp(
        session.key,
        (before) => lookedUp({ ...session, lookedUp: before }, event) ?? nothingLookedUp,
      );
    } catch (error) {
      log.warn({ err: error }, 'Cannot store the looked-up details of a session');
    }
  }

  /** Null if the title is known or not needed. */
  function readTranscript(session: Session, event: HookEvent): Promise<void> | null {
    const { transcriptPath } = event;
    const title = event.title ?? session.title ?? lookedUp(session, event)?.title ?? null;
    if (transcriptPath === null || title !== null) return null;
    if (transcriptTitles.get(session.key) !== null) return null;
    return noteTitle(session.key, transcriptPath);
  }

  async function noteTitle(key: string, path: string): Promise<void> {
    const found = await readTranscriptTitle(path);
    transcriptTitles.set(key, found ?? '', found === null ? NO_TRANSCRIPT_MS : TRANSCRIPT_MS);
  }

  /** Settles with the job, but after 800 ms at the latest. */
  async function patiently(job: Promise<unknown>): Promise<void> {
    const over = new AbortController();
    void job.finally(() => over.abort());
    await pause(WAIT_MS, startTimer, AbortSignal.any([over.signal, stopping.signal]));
  }

  /** A read from a file system that hangs may end after the store is closed. */
  function keepUnlessStopped(session: Session, event: HookEvent): void {
    if (stopping.signal.aborted) return;
    const keeping = keep(session, event).finally(() => work.delete(keeping));
    work.add(keeping);
  }

  return {
    /** Immediately or within 800 ms; later results are kept for the next notification. Never rejects. */
    prepare(claimed: ClaimedDelivery): ClaimedDelivery | Promise<ClaimedDelivery> {
      const { session, event } = claimed;
      if (session === null) return claimed;
      const reading = readTranscript(session, event);
      const id = idAtService(session);
      const request = id === null ? null : (lookUp()?.ask(id) ?? null);
      const all = Promise.all([reading, request]);
      void all.then(() => keepUnlessStopped(session, event));

      // Notifications do not wait for a slow service.
      const isAwaited = request !== null && lookUp()?.isSlow() === false;
      const awaited = isAwaited ? all : reading;
      return awaited === null
        ? enriched(claimed)
        : patiently(awaited).then(() => enriched(claimed));
    },
    /** Stops waiting; resolves when all results are stored. */
    async stop(): Promise<void> {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

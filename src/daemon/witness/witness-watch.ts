import { stat } from 'node:fs/promises';

import { decodePayload } from '../../agents/decode.ts';
import { type SeenDetails, seenPayload } from '../../agents/support/seen-events.ts';
import { HOOK_FIRST, judgeStatement, type SeenChange } from '../../alerts/join-witness.ts';
import {
  confirmation,
  isWithoutHooks,
  seenFact,
  type RecordedSession,
} from '../../core/agent/witness.ts';
import { isWaiting, type Kind } from '../../core/hook-event.ts';
import type { Session } from '../../core/session.ts';
import type { EventSink, Store } from '../../core/store.ts';
import { hashedId } from '../../platform/crypto.ts';
import type { Log } from '../../platform/log.ts';
import { idleTimer, type StartTimer } from '../../platform/time.ts';
import { watchQuietDirectory } from '../../platform/watch-files.ts';
import {
  createRecordReader,
  readDetails,
  type RecordReaderOptions,
  type SightedSession,
} from './record-reader.ts';

/** Records are replaced in several steps, ms. */
const SETTLE_MS = 30;
/** After a start, hooks of the time before are read first, ms. */
const START_MS = 3_000;
/** A transcript is written a moment after the record: it is looked at again until a statement is this old, ms. */
const UNWRITTEN_MS = { waiting: 1_300, idle: 2_500 } as const;
const AGAIN_MS = 150;

export interface WitnessWatchOptions extends Omit<RecordReaderOptions, 'monotonic'>, EventSink {
  readonly isOn: () => boolean;
  readonly store: Pick<Store, 'sessions' | 'events'>;
  readonly log: Log;
  readonly startTimer?: StartTimer;
  /** Time that no one sets, ms. */
  readonly monotonic?: () => number;
}

/**
 * Reads what an agent writes about its running sessions, and raises an event where no hook has reported the same: see
 * `judgeStatement`. It only reads.
 */
export function createWitnessWatch(options: WitnessWatchOptions) {
  const { agent, witness, isOn, store, readTail, now, log } = options;
  const { startTimer = idleTimer, monotonic = () => performance.now() } = options;
  const reader = createRecordReader({ ...options, monotonic }, (key) => seen.get(key));
  /** By folder: the inode that is watched, and how to stop. */
  const watches = new Map<string, { readonly inode: number; readonly stop: () => void }>();
  let seen: ReadonlyMap<string, SightedSession> = new Map();
  let cancel: (() => void) | null = null;
  let dueAt = Number.POSITIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let isStopped = true;

  function lookIn(ms: number): void {
    const at = monotonic() + ms;
    if (isStopped || dueAt <= at) return;
    cancel?.();
    dueAt = at;
    cancel = startTimer(ms, () => void look());
  }

  async function watchFolders(): Promise<void> {
    const folders = await reader.folders();
    for (const [folder, { stop }] of watches)
      if (!folders.includes(folder)) {
        stop();
        watches.delete(folder);
      }
    for (const folder of folders) {
      const inode = (await stat(folder).catch(() => null))?.ino ?? null;
      if (watches.get(folder)?.inode === inode) continue;
      watches.get(folder)?.stop();
      watches.delete(folder);
      if (inode === null || isStopped) continue;
      const stop = watchQuietDirectory(folder, () => lookIn(SETTLE_MS));
      watches.set(folder, { inode, stop });
      // It may have changed before it was watched.
      if (witness.states !== undefined) lookIn(SETTLE_MS);
    }
  }

  async function look(): Promise<void> {
    cancel?.();
    cancel = null;
    dueAt = Number.POSITIVE_INFINITY;
    if (looking !== null) {
      await looking;
      return lookIn(SETTLE_MS);
    }
    looking = lookNow().catch((error: unknown) =>
      log.warn({ err: error }, 'Cannot look at the records of sessions'),
    );
    await looking;
    looking = null;
  }

  async function lookNow(): Promise<void> {
    if (!isOn() || isStopped) return stopWatches();
    await watchFolders();
    const before = seen;
    const current = new Map(await reader.read());
    // The files of a session that was found now.
    if (witness.states !== undefined) await watchFolders();
    seen = current;
    for (const [key, one] of current)
      if (!one.isSettled && (await settle(key, one))) current.set(key, { ...one, isSettled: true });
    for (const [key, one] of before)
      if (!current.has(key)) {
        const session = { ...one.session, state: 'ended', since: now(), waitingFor: null } as const;
        await settle(key, { ...one, before: null, session });
      }
  }

  async function sessionOf(key: string): Promise<Session | null> {
    const found = await store.sessions.named(key, 1);
    return found.find((one) => one.key === key) ?? null;
  }

  /** Whether nothing more can come of the statement. */
  async function settle(key: string, one: SightedSession): Promise<boolean> {
    let known = await sessionOf(key);
    const { session, firstAt, before } = one;
    // The end of a session with hooks is reported by them, or found by its process.
    if (session.state === 'ended' && (known === null || !isWithoutHooks(known.facts))) return true;
    const ageMs = monotonic() - firstAt;
    let judged = judgeStatement(known, session, { now: now(), ageMs });
    if (before?.session.state === 'working') {
      // What happens now has the turn before it.
      const beforeMs =
        judged.type === 'raise' ? Number.POSITIVE_INFINITY : monotonic() - before.firstAt;
      const earlier = judgeStatement(known, before.session, { now: now(), ageMs: beforeMs });
      if (earlier.type === 'raise') {
        await raise({ ...one, ...before }, known, { status: kindOf[earlier.as] }, null);
        known = await sessionOf(key);
        judged = judgeStatement(known, session, { now: now(), ageMs });
      } else if (earlier.type === 'wait' && judged.type === 'nothing') judged = earlier;
    }
    if (judged.type === 'nothing') {
      if (judged.reason === HOOK_FIRST && known !== null && isWaiting(known.lastKind)) {
        const reason = confirmation(session);
        const { lastEventId } = known;
        await store.events.addDecision(lastEventId, { stage: 'track', verdict: 'note', reason });
      }
      return true;
    }
    if (judged.type === 'wait') {
      lookIn(judged.ms);
      return false;
    }
    const transcriptPath = await reader.transcriptOf(one);
    const details = await detailsOf(session, judged.as, { transcriptPath, ageMs });
    if (details === null) {
      lookIn(AGAIN_MS);
      return false;
    }
    await raise(one, known, details, transcriptPath);
    return true;
  }

  /** Null: the transcript may show it in a moment. */
  async function detailsOf(
    session: RecordedSession,
    as: SeenChange,
    { transcriptPath, ageMs }: { readonly transcriptPath: string | null; readonly ageMs: number },
  ): Promise<SeenDetails | null> {
    if (as !== 'waiting' && as !== 'end') return { status: kindOf[as] };
    const read =
      transcriptPath === null
        ? null
        : await readDetails(witness, session, (bytes) => readTail(transcriptPath, bytes));
    if (read !== null && read.details !== null) return read.details;
    const isLate = ageMs >= UNWRITTEN_MS[as === 'end' ? 'idle' : 'waiting'];
    if (!isLate) return null;
    // Without a transcript an interruption looks like an end.
    return as === 'end' && read === null ? { status: 'turn.done' } : witness.plain(session);
  }

  async function raise(
    { session, facts: here }: SightedSession,
    known: Session | null,
    details: SeenDetails,
    transcriptPath: string | null,
  ): Promise<void> {
    const payload = seenPayload(session, details, transcriptPath);
    const isHooked = known !== null && !isWithoutHooks(known.facts);
    const facts = { ...here, ...(isHooked && known.facts), seen: seenFact(session) };
    const decoded = decodePayload({ payload, facts });
    if (!decoded.ok || decoded.event.agent !== agent || decoded.event.isUnproved === true) return;
    const receivedAt = now();
    // A clock that was set back must not make it older than what it changes.
    const at = Math.min(receivedAt, Math.max(session.since, known?.stateSince ?? 0));
    const id = hashedId(`${decoded.event.sessionKey} ${seenFact(session)}`);
    const event = { ...decoded.event, id, at, receivedAt };
    const [verdict] = await store.events.accept(
      [options.prepare({ event, payload })],
      options.decide,
    );
    if (verdict === 'committed') options.onCommitted();
  }

  return {
    /** Looks now, and searches for directories once a minute: the system may lose events of a watch. */
    beat: look,
    start() {
      isStopped = false;
      lookIn(START_MS);
    },
    stop() {
      isStopped = true;
      cancel?.();
      stopWatches();
    },
  };

  function stopWatches(): void {
    for (const { stop } of watches.values()) stop();
    watches.clear();
  }
}

/** What the changes mean where the transcript adds nothing. */
const kindOf = {
  waiting: 'needs.input',
  answered: 'tool.done',
  turn: 'prompt',
  end: 'turn.done',
  present: 'session.start',
  ended: 'session.end',
} as const satisfies Readonly<Record<SeenChange, Kind>>;

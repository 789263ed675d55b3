import { answerIn } from '../../agents/complete.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import type { Log } from '../../platform/log.ts';
import type { Session } from '../../core/session.ts';
import type { AlertStore } from '../../core/alert.ts';
import { type Clock, type StartTimer, systemTimer, within } from '../../platform/time.ts';

/** A request waits at most this long for all transcripts to be read, ms. */
const PATIENCE_MS = 200;
/** At most this many transcripts are read together: each may cost 256 KB. */
const AT_ONCE = 20;

interface AnswerWatchOptions {
  readonly alerts: Pick<AlertStore, 'openRequests' | 'answerRequest'>;
  /** The end of a transcript, as text; null if it cannot be read. */
  readonly readTail: (path: string) => Promise<string | null>;
  /** Channels whose pending messages are sent even when a request is answered. */
  readonly programChannels: () => readonly string[];
  readonly now: Clock;
  readonly log: Log;
  /** Notifications of these requests may have to be withdrawn. */
  readonly onAnswered: (sessionKey: string) => void;
  readonly startTimer?: StartTimer;
}

/**
 * Detects answered requests from transcripts: some agents send no event when a person or a hook refuses. If a
 * transcript cannot be read in time, or has an unknown shape, its request stays open.
 */
export function createAnswerWatch({
  alerts,
  readTail,
  programChannels,
  now,
  log,
  onAnswered,
  startTimer = systemTimer,
}: AnswerWatchOptions) {
  /** True if it was answered. */
  async function lookAt(event: HookEvent): Promise<boolean> {
    const { transcriptPath, sessionKey, id: eventId } = event;
    const tail = transcriptPath === null ? null : await readTail(transcriptPath);
    const answer = tail === null ? null : answerIn(event, tail);
    if (answer === null) return false;
    const how = answer.isTurnOver ? 'an interrupted turn' : 'the result of the call';
    const isOver = await alerts.answerRequest({
      eventId,
      sessionKey,
      at: Math.min(answer.at, now()),
      isTurnOver: answer.isTurnOver,
      via: null,
      reason: `the transcript of the session shows ${how}`,
      exceptChannels: programChannels(),
    });
    if (isOver) onAnswered(sessionKey);
    return isOver;
  }

  /** Checks the open requests of these sessions, or of all, for at most 200 ms; returns how many are over. */
  async function look(sessions?: readonly Session[]): Promise<number> {
    const asked = await alerts.openRequests({
      limit: AT_ONCE,
      ...(sessions !== undefined && { sessionKeys: sessions.map(({ key }) => key) }),
    });
    if (asked.length === 0) return 0;
    let answered = 0;
    const looks = Promise.all(
      asked.map(async (event) => {
        if (await lookAt(event)) answered += 1;
      }),
    );
    const done = looks.catch((error: unknown) =>
      log.warn({ err: error }, 'Cannot record an answered request'),
    );
    await within(done, PATIENCE_MS, startTimer);
    return answered;
  }

  return { look };
}

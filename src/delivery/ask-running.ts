import type { Session } from '../core/session.ts';
import type { Running, RunningOf } from '../core/due.ts';
import { type LookUp, idAtService, WAIT_MS } from './look-up.ts';
import { type StartTimer, within } from '../platform/time.ts';

/**
 * Asks the service which of the sessions with an ended turn still run, for at most 800 ms. Sessions it does not report
 * in time are `unknown`; for sessions not given the result is null.
 */
export async function askRunning(
  sessions: readonly Session[],
  {
    lookUp,
    now,
    startTimer,
  }: {
    readonly lookUp: LookUp;
    readonly now: () => number;
    readonly startTimer: StartTimer;
  },
): Promise<RunningOf> {
  const since = now();
  const ended = sessions.filter(({ state }) => state === 'done');
  const asked = Promise.all(
    ended.flatMap((session) => {
      const id = idAtService(session);
      const request = id === null ? null : lookUp.askAgain(id);
      return request === null ? [] : [request];
    }),
  );
  await within(asked, WAIT_MS, startTimer);

  const running = new Map(
    sessions.map(({ key, sessionId }): [string, Running] => [
      key,
      sessionId === null ? 'unknown' : runningNow(sessionId, lookUp, since),
    ]),
  );
  return (sessionKey) => running.get(sessionKey) ?? null;
}

/** An answer from before may be outdated. */
function runningNow(sessionId: string, lookUp: LookUp, since: number): Running {
  const cached = lookUp.cached(sessionId);
  if (cached === null || cached.askedAt < since) return 'unknown';
  switch (cached.session.status) {
    case 'running':
    case 'pending':
      return 'yes';
    case 'idle':
      return 'no';
    default:
      return 'unknown';
  }
}

import type { Log } from '../platform/log.ts';
import { idleTimer, type StartTimer } from '../platform/time.ts';

/** Between two beats while a session works or waits, ms. */
export const ACTIVE_BEAT_MS = 5_000;
/** Between two beats while none does, ms: each wakes a processor that could sleep. */
export const IDLE_BEAT_MS = 60_000;

/** @param plannedMs the planned time since the beat before, ms; 0 at the first */
type Work = (plannedMs: number) => unknown;

export type Pulse = ReturnType<typeof createPulse>;

/**
 * The one clock of everything in the daemon that must be looked at now and then because no event announces it: lost events
 * of watchers, free space, processes that ended, transcripts. Together they wake an idle machine once a minute.
 *
 * @param isActive whether a session works or waits for a person
 */
export function createPulse({
  isActive,
  log,
  startTimer = idleTimer,
}: {
  readonly isActive: () => Promise<boolean>;
  readonly log: Log;
  readonly startTimer?: StartTimer;
}) {
  const works: (readonly [name: string, work: Work])[] = [];
  const running = new Set<string>();
  let cancel: (() => void) | null = null;
  let sleepMs = 0;
  let sleepsSince = 0;
  /** Of the sleep that an event cut short, ms. */
  let sleptMs = 0;
  let stirred = false;
  let isStopped = false;

  async function run(name: string, work: Work, plannedMs: number): Promise<void> {
    if (running.has(name)) return;
    running.add(name);
    try {
      await work(plannedMs);
    } catch (err) {
      log.warn({ err, work: name }, 'A periodic check failed');
    } finally {
      running.delete(name);
    }
  }

  async function beat(): Promise<void> {
    cancel = null;
    const plannedMs = sleptMs + sleepMs;
    sleptMs = 0;
    for (const [name, work] of works) void run(name, work, plannedMs);
    const wasStirred = stirred;
    stirred = false;
    const isBusy = wasStirred || (await isActive().catch(() => true));
    if (!isStopped && cancel === null) sleep(isBusy ? ACTIVE_BEAT_MS : IDLE_BEAT_MS);
  }

  function sleep(ms: number): void {
    sleepMs = ms;
    sleepsSince = performance.now();
    cancel = startTimer(ms, () => void beat());
  }

  return {
    /** Runs `work` at each beat from now on, never twice at a time. Its errors are logged. */
    onBeat: (name: string, work: Work) => void works.push([name, work]),
    /** Something happened, such as an event: the next beat comes soon. */
    stir() {
      stirred = true;
      if (cancel === null || sleepMs <= ACTIVE_BEAT_MS) return;
      cancel();
      sleptMs = Math.round(Math.min(sleepMs, performance.now() - sleepsSince));
      sleep(ACTIVE_BEAT_MS);
    },
    start() {
      if (cancel === null) sleep(ACTIVE_BEAT_MS);
    },
    stop() {
      isStopped = true;
      cancel?.();
      cancel = null;
    },
  };
}

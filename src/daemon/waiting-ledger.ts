import { statSync, utimesSync, writeFileSync } from 'node:fs';

import { requestName, requestRows } from '../alerts/requests/request-rows.ts';
import { measureBy } from '../alerts/measure-wait.ts';
import { isCounted, waitingReport } from '../alerts/waiting-report.ts';
import { INBOX } from '../core/delivery.ts';
import { type HookEvent, isWaiting } from '../core/hook-event.ts';
import {
  type MeasureWait,
  type ReadWaiting,
  type WaitingGap,
  type WaitingPeriod,
  type WaitStore,
  type WorkingHours,
} from '../core/waiting.ts';
import { type ClockReading, readClocks, stepsBetween } from '../platform/clock-steps.ts';
import { loadShellParser } from '../platform/shell-syntax.ts';
import type { Log } from '../platform/log.ts';
import type { Clock } from '../platform/time.ts';
import { pastRequests } from './requests/past-requests.ts';
import { createHistogram } from './metrics/counters.ts';

/** Between two marks that the daemon runs, ms. */
const MARK_EVERY_MS = 55_000;
/** A daemon that was stopped or hung for this long did not run, ms. */
const HUNG_MS = 60_000;
/** A restart takes less than this, ms. */
const RESTART_MS = 2_000;
/** Waits measured in one transaction. */
const SLICE = 200;
/** From a glance at the terminal to a night. */
const BOUNDS_SECONDS = [1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 43_200];

interface WaitingLedgerOptions {
  readonly waits: WaitStore;
  /** The file whose time says when the daemon was last known to run. */
  readonly mark: string;
  readonly hours: () => WorkingHours;
  readonly programChannels: () => readonly string[];
  readonly redact: (text: string) => string;
  readonly readClocks?: () => ClockReading;
  readonly now: Clock;
  readonly log: Log;
}

/**
 * Measures waits after their end, and records the gaps that do not count: the machine was asleep, or the daemon did not
 * run. A kill leaves the end of a run unknown by up to a minute.
 */
export function createWaitingLedger(options: WaitingLedgerOptions) {
  const { waits, mark, now, log, readClocks: read = readClocks } = options;
  const lengths = createHistogram(
    'hookbell_waiting_seconds',
    'How long agents waited for a person since the daemon started, by agent and type: asked (until the answer) or done (until the next prompt)',
    BOUNDS_SECONDS,
  );
  let last = read();
  /** By `awake`. */
  let markedAt = Number.NEGATIVE_INFINITY;
  let isRunning = false;

  /** Asks for the hours when the first wait is measured, which at a start there seldom is. */
  const measure = (): MeasureWait => {
    let by: MeasureWait | undefined;
    return (wait, gaps) => (by ??= measureBy(options.hours()))(wait, gaps);
  };

  async function measureEnded(): Promise<void> {
    for (;;) {
      const measured = await waits.measure({
        measure: measure(),
        exceptChannels: [INBOX, ...options.programChannels()],
        limit: SLICE,
      });
      for (const { kind, agent, ending, waitedMs } of measured) {
        if (!isCounted(ending)) continue;
        lengths.observe({ type: isWaiting(kind) ? 'asked' : 'done', agent }, waitedMs);
      }
      if (measured.length < SLICE) return;
    }
  }

  /** With the parser, which takes memory that few daemons need. */
  async function nameRequests(): Promise<void> {
    const parse = await loadShellParser();
    const nameOf = (event: Pick<HookEvent, 'asked' | 'tool'>) => requestName(event, parse);
    while ((await waits.nameRequests({ nameOf, limit: SLICE })) === SLICE);
  }

  async function addGap(gap: WaitingGap): Promise<void> {
    log.info({ ...gap, ms: gap.to - gap.from }, 'Not counted as waiting time');
    await waits.addGap(gap, measure());
  }

  function setMark(at: number): void {
    try {
      writeFileSync(mark, '', { mode: 0o600 });
      utimesSync(mark, at / 1_000, at / 1_000);
    } catch (err) {
      log.debug({ err }, 'Cannot mark that the daemon runs');
    }
  }

  async function check(plannedMs: number): Promise<void> {
    const before = last;
    last = read();
    const { wall, awake } = last;
    const { awakeMs, asleepMs, setMs } = stepsBetween(before, last);
    if (setMs !== 0) await waits.shiftOpen(setMs);
    if (asleepMs > 0) await addGap({ from: wall - asleepMs, to: wall, cause: 'asleep' });
    if (awakeMs - plannedMs >= HUNG_MS) {
      const to = wall - asleepMs;
      await addGap({ from: Math.round(to - awakeMs), to, cause: 'off' });
    }
    if (awake - markedAt < MARK_EVERY_MS) return;
    markedAt = awake;
    setMark(wall);
    await measureEnded();
  }

  /**
   * Checks the clocks now. Never rejects.
   *
   * @param plannedMs time that should have passed since the last check, ms
   */
  const tick = (plannedMs = 0): Promise<void> =>
    check(plannedMs).catch((err: unknown) => log.warn({ err }, 'Cannot update the waiting time'));

  const report: ReadWaiting = async ({ since, until, by }) => {
    await measureEnded();
    const period = { since, until };
    const [series, gaps] = await Promise.all([waits.series(period), waits.gaps(period)]);
    const measured = waitingReport(series, { ...period, by, gaps });
    if (by !== 'request') return measured;
    await nameRequests();
    return { ...measured, rows: requestRows(await waits.requests(period)) };
  };

  return {
    report,
    /** What agents asked for, and what they did. */
    async requests(period: WaitingPeriod) {
      await measureEnded();
      await nameRequests();
      return pastRequests(waits, period, options.redact);
    },
    /** Waits measured since the start. */
    async families() {
      await measureEnded();
      return [lengths.family()];
    },
    tick,
    async start() {
      const at = now();
      const ranUntil = lastMark(mark);
      if (ranUntil !== null && at - ranUntil >= RESTART_MS) {
        await addGap({ from: ranUntil, to: at, cause: 'off' });
      }
      last = read();
      markedAt = Number.NEGATIVE_INFINITY;
      isRunning = true;
      await tick();
    },
    stop() {
      if (isRunning) setMark(now());
      isRunning = false;
    },
  };
}

/** Unix ms; null before the first start. */
function lastMark(path: string): number | null {
  try {
    return Math.floor(statSync(path).mtimeMs);
  } catch {
    return null;
  }
}

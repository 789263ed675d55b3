import { z } from 'zod';
import { addDays, dayOf } from '../api/index.ts';
import type { DailySchedule } from '../core/daily-schedule.ts';
import { localTime } from '../core/local-time.ts';
import type { Log } from '../core/log.ts';
import type { SourceMemory } from '../core/source-memory.ts';
import { serviceTrouble } from './service-trouble.ts';

/** `waiting`: the service does not have the day yet. */
export type DayResult = 'done' | 'waiting';

/**
 * The work of one day. What goes wrong with the service is thrown as the client throws it.
 *
 * @param day the last complete day, UTC
 * @param mayWait false once it is late: then it makes do with what there is, and `waiting` counts as done
 */
export type DayWork = (day: string, options: { readonly mayWait: boolean }) => Promise<DayResult>;

export interface DailyJobOptions {
  readonly name: string;
  readonly schedule: DailySchedule;
  readonly work: DayWork;
  readonly memory: SourceMemory;
  readonly now: () => number;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
  /** Told what is wrong, and null once it is well again. */
  readonly onTrouble: (reason: string | null) => void;
}

export interface DailyJob {
  /** Does what is due; to be called every minute or so. Never rejects. */
  run(): Promise<void>;
}

const HOUR_MS = 3_600_000;
const FIRST_RETRY_MS = 300_000;
/** So many failures in a row are told of. */
const PATIENCE = 3;

/** Which day was worked on last. */
const memorySchema = z.object({ done: z.string() });

/**
 * Does some work once a day, for the day before (UTC), also over restarts. A day that is not there yet is asked for again
 * hourly, trouble is tried again later and later, and a wait the service names is kept; all with some jitter, so that
 * many machines do not ask at one moment.
 */
export function createDailyJob(options: DailyJobOptions): DailyJob {
  const { name, schedule, work, memory, now, random, log, onTrouble } = options;
  let isRunning = false;
  let notBefore = 0;
  let failures = 0;

  function wait(ms: number): void {
    notBefore = now() + ms * (1 + 0.1 * random());
  }

  async function workOn(day: string, mayWait: boolean): Promise<void> {
    const result = await work(day, { mayWait });
    failures = 0;
    onTrouble(null);
    if (result === 'waiting' && mayWait) {
      log.info({ source: name, day }, 'The service does not have the day yet');
      wait(HOUR_MS);
      return;
    }
    await memory.write({ done: day });
  }

  async function runOnce(): Promise<void> {
    const at = now();
    const { minutes } = localTime(at, schedule.timezone);
    if (minutes < schedule.at || at < notBefore) return;
    const day = addDays(dayOf(at), -1);
    const { done } = memorySchema.safeParse(await memory.read()).data ?? { done: '' };
    if (done >= day) return;
    try {
      await workOn(day, minutes < schedule.until);
    } catch (error) {
      const { reason, retryAfterMs, isLasting } = serviceTrouble(error);
      failures += 1;
      wait(retryAfterMs ?? Math.min(HOUR_MS, FIRST_RETRY_MS * 2 ** (failures - 1)));
      log.warn({ source: name, day, err: error }, 'A daily job failed and is tried again');
      if (isLasting || failures >= PATIENCE) onTrouble(reason);
    }
  }

  return {
    async run() {
      if (isRunning) return;
      isRunning = true;
      try {
        await runOnce();
      } catch (error) {
        log.error({ source: name, err: error }, 'A daily job cannot go on');
      } finally {
        isRunning = false;
      }
    },
  };
}

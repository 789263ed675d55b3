import { z } from 'zod';

import type { DailySchedule } from '../../config/report-schema.ts';
import type { PollerMemory } from '../../core/source-event.ts';
import { localTime } from '../../platform/time.ts';
import { addDays, dayOf } from '../client/index.ts';
import { createBackoffGate, type PollerJob, type BackoffGateOptions } from './poller.ts';

/** `waiting`: the service does not have the day yet. */
export type DayResult = 'done' | 'waiting';

/**
 * The work of one day. Throws service errors as the client does.
 *
 * @param day the last complete day, UTC
 * @param mayWait false once it is late: then it uses the available data, and `waiting` counts as done
 */
export type DayWork = (day: string, options: { readonly mayWait: boolean }) => Promise<DayResult>;

export interface DailyJobOptions extends BackoffGateOptions {
  readonly schedule: DailySchedule;
  readonly work: DayWork;
  readonly memory: PollerMemory;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const FIRST_RETRY_MS = 300_000;

const memorySchema = z.object({ done: z.string() });

/** Runs a job once a day, for the day before (UTC), also across restarts. A day without data yet is retried hourly. */
export function createDailyJob({ schedule, work, memory, ...options }: DailyJobOptions): PollerJob {
  const { name, now, log } = options;
  const gate = createBackoffGate(options, { firstMs: FIRST_RETRY_MS, mostMs: HOUR_MS });

  /** Null: not due now. */
  async function dueDay(): Promise<string | null> {
    const day = addDays(dayOf(now()), -1);
    const { done } = memorySchema.safeParse(await memory.read()).data ?? { done: '' };
    return done >= day ? null : day;
  }

  /** Returns how long to wait for the day, ms. */
  async function workOn(day: string, { mayWait }: { readonly mayWait: boolean }): Promise<number> {
    const result = await work(day, { mayWait });
    if (result === 'waiting' && mayWait) {
      log.info({ source: name, day }, 'The service does not have the day yet');
      return HOUR_MS;
    }
    await memory.write({ done: day });
    return 0;
  }

  return {
    async run() {
      const { minutes } = localTime(now(), schedule.timezone);
      if (minutes < schedule.at || !gate.mayTake()) return;
      const day = await dueDay();
      if (day !== null) await gate.take(() => workOn(day, { mayWait: minutes < schedule.until }));
    },
    // Whether it is due needs no request.
    nextAt: () => Math.max(gate.nextAt(), now() + MINUTE_MS),
  };
}

import { durationText } from '../text/duration.ts';
import { type ChannelHealth, tidyReason } from './channel-health.ts';
import type { ChannelWorkerDependencies } from './jobs.ts';

const GIVEN_UP_AT_ONCE = 200;

/** How long a channel may be missing from the configuration before its deliveries are given up, ms. */
export const MISSING_GRACE_MS = 600_000;

/** Turns deliveries that have waited too long for a missing or broken channel into dead letters. */
export function createGivingUp(
  health: ChannelHealth,
  { outbox, log, maxAgeMs }: Pick<ChannelWorkerDependencies, 'outbox' | 'log' | 'maxAgeMs'>,
) {
  const { channel } = health.state();
  let brokenMs = 0;
  let isBegun = false;

  function isOverGrace(isMissing: boolean): boolean {
    return isMissing && health.state().missingMs >= MISSING_GRACE_MS;
  }

  async function giveUp(waitedMs: number, reason: string): Promise<number> {
    const given = await outbox.giveUp({ channel, waitedMs, reason, limit: GIVEN_UP_AT_ONCE });
    if (given > 0) log.warn({ channel, count: given, reason }, 'Gave up deliveries');
    return given;
  }

  return {
    /** A delivery past the maximum age has failed again: all others as old are given up now. */
    begin() {
      isBegun = true;
    },
    reset() {
      isBegun = false;
    },
    /** True where `up` has work. */
    isDue: (isMissing: boolean) => isBegun || isOverGrace(isMissing),
    /** Returns how many were given up; call it until it returns 0. */
    async up(isMissing: boolean): Promise<number> {
      if (isOverGrace(isMissing)) {
        const grace = durationText(MISSING_GRACE_MS);
        const reason = `Channel "${channel}" has been missing from the configuration for ${grace}`;
        return giveUp(0, reason);
      }
      if (!isBegun) return 0;
      const last = health.state().lastReason ?? 'not attempted';
      const reason = tidyReason(`Gave up after ${durationText(maxAgeMs)}: ${last}`);
      const given = await giveUp(maxAgeMs, reason);
      isBegun = given > 0;
      return given;
    },
    /** Adds time during which a daemon ran and deliveries waited, ms. */
    passTime(ms: number, isMissing: boolean): void {
      if (isMissing) {
        health.addMissing(ms);
        void health.save();
        return;
      }
      brokenMs = health.isBroken() ? brokenMs + ms : 0;
      if (brokenMs < maxAgeMs) return;
      // Nothing is given up before one more attempt on its channel.
      brokenMs = 0;
      health.probe();
    },
  };
}

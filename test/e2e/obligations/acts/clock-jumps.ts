import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../../support/hookbell-home.ts';
import { isAlive } from '../../../support/is-alive.ts';
import type { Act } from './act.ts';

const HOUR_MS = 3_600_000;
const YEAR_HOURS = 365 * 24;

/** The daemon's idea of the time; the kernel's, by which files are dated, cannot be moved for one process. */
export const clockJumps: Act = {
  name: 'the clock is set forward and back by hours, a day, to 2038 and to 1970 (faults 26, 27, A4, A5)',
  async run(site) {
    const pid = await site.pid();
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid), site.patienceMs);
    await site.start();
    // The order is that of the clock, and there are several now.
    site.mayOvertake = true;
    await site.during(async () => {
      for (const hours of [1, 25, -1, -24, 12 * YEAR_HOURS, 0, -56 * YEAR_HOURS, 8, 0]) {
        await site.shiftClock(hours * HOUR_MS);
        await delay(300);
      }
    });
  },
};

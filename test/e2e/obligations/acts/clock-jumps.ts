import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../../support/hookbell-home.ts';
import { isAlive } from '../../../support/is-alive.ts';
import type { Act } from './act.ts';

const HOUR_MS = 3_600_000;

/** The daemon's idea of the time; the kernel's, by which files are dated, cannot be moved for one process. */
export const clockJumps: Act = {
  name: 'the clock is set forward and back by hours and a day (faults 26, 27)',
  async run(site) {
    const pid = await site.pid();
    process.kill(pid, 'SIGTERM');
    await until(() => !isAlive(pid), site.patienceMs);
    await site.start();
    // The order is that of the clock, and there are several now.
    site.mayOvertake = true;
    await site.during(async () => {
      for (const hours of [1, 24, -1, -24, 8, 0]) {
        await site.shiftClock(hours * HOUR_MS);
        await delay(300);
      }
    });
  },
};

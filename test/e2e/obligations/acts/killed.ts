import { setTimeout as delay } from 'node:timers/promises';

import type { Act } from './act.ts';
import { someTime } from './act.ts';

/** The kernel kills like this as well when memory runs out. The hooks start the next daemon, or we do. */
export const killed: Act = {
  name: 'the daemon is killed at any moment, three times (faults 1, 2, 4, 8)',
  run: (site) =>
    site.during(async () => {
      for (let kills = 0; kills < 3; kills += 1) {
        await delay(someTime(site, 0, 400));
        await site.kill();
        await delay(someTime(site, 0, 300));
        await site.start();
      }
    }),
};

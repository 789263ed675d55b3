import { setTimeout as delay } from 'node:timers/promises';

import type { Act } from './act.ts';
import { someTime } from './act.ts';

export const stopped: Act = {
  name: 'the daemon is stopped and continued (fault 7)',
  run: (site) =>
    site.during(async () => {
      const pid = await site.pid();
      process.kill(pid, 'SIGSTOP');
      try {
        await delay(someTime(site, 500, 1_500));
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    }),
};

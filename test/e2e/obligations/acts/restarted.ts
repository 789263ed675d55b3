import { setTimeout as delay } from 'node:timers/promises';

import { until } from '../../../support/hookbell-home.ts';
import { isAlive } from '../../../support/is-alive.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

export const restarted: Act = {
  name: 'the daemon is ended in order and started again (fault 6)',
  run: (site) =>
    site.during(async () => {
      await delay(someTime(site, 0, 300));
      const pid = await site.pid();
      process.kill(pid, 'SIGTERM');
      await until(() => !isAlive(pid), site.patienceMs);
      await site.start();
    }),
};

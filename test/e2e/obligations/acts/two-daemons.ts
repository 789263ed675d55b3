import { setTimeout as delay } from 'node:timers/promises';

import { ended } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

export const twoDaemons: Act = {
  name: 'several daemons are started in parallel, beside one that runs and after one that died (fault 10)',
  run: (site) =>
    site.during(async () => {
      const pid = await site.pid();
      const beside = await Promise.all([0, 1, 2].map(() => ended(site.launch())));
      if (beside.some((code) => code !== 0) || (await site.pid()) !== pid) {
        throw new Error(`A second daemon ended with ${beside.join(', ')}`);
      }
      await site.kill();
      const rivals = [0, 1, 2].map(() => site.launch());
      await delay(someTime(site, 100, 500));
      const winner = await site.start();
      const losers = rivals.filter((rival) => rival.pid !== winner);
      const codes = await Promise.all(losers.map((loser) => ended(loser)));
      if (codes.some((code) => code !== 0)) {
        throw new Error(`A daemon that came too late ended with ${codes.join(', ')}`);
      }
    }),
};

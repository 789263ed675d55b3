import { setTimeout as delay } from 'node:timers/promises';

import { untilQuiet } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

const TRIES = 6;
/** A hook looks for the daemon some ms after it began. */
const AROUND_MS = 12;

/** The hook may have seen the daemon alive: then nothing but the daemon's end can bring a new one (A12). */
export const lastMoment: Act = {
  name: 'a single hook runs within 5 ms of the death of the daemon, and no other one comes',
  async run(site) {
    for (let tries = 0; tries < TRIES; tries += 1) {
      await site.start();
      const hook = site.handIn(1);
      await delay(someTime(site, 0, AROUND_MS));
      await site.kill();
      await hook;
      // Only the hook starts a daemon, or the process that waits for the daemon's end.
      await untilQuiet(site);
    }
  },
};

import { until } from '../../../support/hookbell-home.ts';
import type { Manner } from '../witness.ts';
import type { Act } from './act.ts';

/** Fewer in a row than open the circuit, which would keep us waiting. */
const REQUESTS = 2;

const manners: readonly Manner[] = ['refuses', 'limits', 'resets', 'silent', 'slow'];

export const badChannels: Act = {
  name: 'a channel is slow, limits, refuses, breaks off and never responds, while others work (faults 28, 33, 39)',
  run: (site) =>
    site.during(async () => {
      for (const manner of manners) {
        site.web.behave(manner, REQUESTS);
        await until(() => site.web.welcomed() > 0, site.patienceMs);
      }
    }),
};

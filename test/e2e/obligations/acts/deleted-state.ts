import { rm } from 'node:fs/promises';

import { until } from '../../../support/hookbell-home.ts';
import type { Act } from './act.ts';

export const deletedState: Act = {
  name: 'the state directory is deleted under the daemon (fault 20)',
  async run(site) {
    const { place, ledger } = site;
    const spoolWorks = ledger.spoolFails();
    await rm(place.paths.state, { recursive: true, force: true, maxRetries: 5 });
    await until(
      () =>
        place.ask('GET /v1/status').then(
          ({ warnings }) => warnings.some((warning) => warning.includes('had to restart')),
          () => false,
        ),
      site.patienceMs,
    );
    spoolWorks();
    await site.handIn(6);
  },
};

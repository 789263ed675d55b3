import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { until } from '../../../support/hookbell-home.ts';
import { fillDisk } from '../../../support/small-file-system.ts';
import type { Act } from './act.ts';

/** The spool and the database are on the same disk: what hooks wrote meanwhile may be cut off. */
export const fullDisk: Act = {
  name: 'the disk is full, and has room again (faults 12, 13, 16)',
  impossible: ({ hasOwnDisk }) => !hasOwnDisk && 'it needs a disk of its own (root)',
  async run(site) {
    const { place } = site;
    const pid = await site.pid();
    const filling = join(place.home, 'filling');
    const spoolWorks = site.ledger.spoolFails();
    await site.during(async () => {
      await fillDisk(filling);
      await until(async () => {
        const { warnings } = await place.ask('GET /v1/status');
        return warnings.some((warning) => warning.includes('is full'));
      }, site.patienceMs);
      await rm(filling);
    });
    spoolWorks();
    await site.handIn(6);
    if ((await site.pid()) !== pid) throw new Error('The daemon did not live through a full disk');
  },
};

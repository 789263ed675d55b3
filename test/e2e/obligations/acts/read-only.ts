import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { until } from '../../../support/hookbell-home.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

const run = promisify(execFile);

/** The spool alone, since a file system on which a database is open for writing cannot be made read-only. */
export const readOnly: Act = {
  name: 'the spool becomes read-only, and can be written again (fault 14)',
  impossible: ({ hasOwnDisk }) => !hasOwnDisk && 'it needs a disk of its own (root)',
  async run(site) {
    const { spool } = site.place.paths;
    const spoolWorks = site.ledger.spoolFails();
    await site.during(async () => {
      await run('mount', ['--bind', spool, spool]);
      try {
        // Refused as long as a hook has a file open.
        const isReadOnly = (): Promise<boolean> =>
          run('mount', ['-o', 'remount,bind,ro', spool]).then(
            () => true,
            () => false,
          );
        await until(isReadOnly, site.patienceMs);
        await delay(someTime(site, 300, 1_200));
      } finally {
        await run('umount', ['--lazy', spool]);
      }
    });
    spoolWorks();
    await site.handIn(6);
  },
};

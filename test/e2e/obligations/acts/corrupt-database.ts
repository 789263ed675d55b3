import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

import { until } from '../../../support/hookbell-home.ts';
import { isAlive } from '../../../support/is-alive.ts';
import type { Site } from '../site.ts';
import type { Act } from './act.ts';

/** The stored events are lost, and reported as lost; those in the spool are not lost. */
export const corruptDatabase: Act = {
  name: 'the database turns out to be broken when a daemon starts (faults 18, 19)',
  async run(site) {
    if (site.random() < 0.5) await spoilBeginning(site);
    else await replaceAll(site);
    await site.during(async () => {
      await site.start();
    });
    const { warnings } = await site.place.ask('GET /v1/status');
    if (!warnings.some((warning) => warning.includes('damaged'))) {
      throw new Error('The damaged database was not reported');
    }
  },
};

/** After an end in order, because a log that is left has newer copies of the pages. */
async function spoilBeginning(site: Site): Promise<void> {
  const { database } = site.place.paths;
  const pid = await site.pid();
  process.kill(pid, 'SIGTERM');
  await until(() => !isAlive(pid), site.patienceMs);
  const bytes = await readFile(database);
  randomBytes(8_192).copy(bytes);
  await writeFile(database, bytes);
}

async function replaceAll(site: Site): Promise<void> {
  const { database } = site.place.paths;
  await site.kill();
  await writeFile(database, randomBytes(50_000));
  await writeFile(`${database}-wal`, randomBytes(50_000));
}

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { fillDisk, mountSmall, needsMount } from '../../../support/small-file-system.ts';
import { untilQuiet } from '../site.ts';
import type { Act } from './act.ts';

/** The database, which sorts, keeps nothing there (D12). */
export const fullTemporary: Act = {
  name: 'the temporary directory is full, and everything is delivered meanwhile (fault 12)',
  impossible: needsMount,
  async run(site) {
    const { place } = site;
    const path = join(dirname(place.home), 'temporary');
    await mkdir(path, { recursive: true });
    await using disk = await mountSmall(path, 1);
    await fillDisk(join(disk.path, 'filling'));
    const variables = ['TMPDIR', 'SQLITE_TMPDIR'];
    await site.stop();
    for (const name of variables) place.env[name] = disk.path;
    try {
      await site.start();
      await site.handIn(60);
      await untilQuiet(site);
      await site.stop();
    } finally {
      for (const name of variables) delete place.env[name];
    }
    await site.start();
  },
};

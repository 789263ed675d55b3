import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

import type { Act } from './act.ts';

export const badConfiguration: Act = {
  name: 'the configuration becomes invalid and valid again under load (fault 47)',
  run: (site) =>
    site.during(async () => {
      const good = await readFile(site.place.paths.config, 'utf8');
      await site.place.writeConfig('channels: [');
      await site.place.ask('POST /v1/reload');
      const { config } = await site.place.ask('GET /v1/status');
      if (config.ok) throw new Error('An invalid configuration was taken');
      await delay(200);
      await site.place.writeConfig(good);
      await site.place.ask('POST /v1/reload');
    }),
};

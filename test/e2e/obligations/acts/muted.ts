import { setTimeout as delay } from 'node:timers/promises';

import type { Act } from './act.ts';

export const muted: Act = {
  name: 'everything is muted and unmuted again while events come (fault 49)',
  run: (site) =>
    site.during(async () => {
      await site.place.ask('POST /v1/mutes', { body: { forMs: 60_000 } });
      await delay(500);
      await site.place.ask('POST /v1/unmute', { body: { all: true } });
    }),
};

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { projectRoot } from '../../../support/hookbell-home.ts';
import { ended } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

const HOOKS = 10;

/** Their unfinished events are not owed, and no part of them may look like an event. */
export const killedHooks: Act = {
  name: 'hooks are killed while they read (fault 5)',
  run: (site) =>
    site.during(async () => {
      for (let hook = 0; hook < HOOKS; hook += 1) {
        const child = spawn(join(projectRoot, 'hooks/hookbell-hook'), [], {
          env: site.place.env,
          stdio: ['pipe', 'ignore', 'ignore'],
          detached: true,
        });
        child.stdin.on('error', () => undefined);
        child.stdin.write('{"hook_event_name":"Notification","session_id":"half","message":"cut');
        await delay(someTime(site, 0, 40));
        // With its `cat`.
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
        await ended(child);
      }
    }),
};

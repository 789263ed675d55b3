import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

import { needs } from '../../../support/system-part.ts';
import { ended } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

/** Some calls in a row on the log of the database, now and then. */
export const ioError: Act = {
  name: 'the disk answers fsync and write with EIO (fault 15)',
  impossible: () => needs('strace'),
  async run(site) {
    const pid = await site.pid();
    const call = site.random() < 0.5 ? 'fsync,fdatasync' : 'pwrite64';
    await site.during(async () => {
      const words = [
        '-f',
        '-p',
        String(pid),
        '-o',
        '/dev/null',
        '-P',
        `${site.place.paths.database}-wal`,
      ];
      const fault = ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=2..4`];
      const tracer = spawn('strace', [...words, ...fault], { stdio: ['ignore', 'ignore', 'pipe'] });
      // It says so when it is attached; if it cannot be, it ends.
      await Promise.race([once(tracer.stderr, 'data'), once(tracer, 'exit')]);
      if (tracer.exitCode !== null) throw new Error('strace cannot trace the daemon');
      await delay(someTime(site, 500, 1_500));
      tracer.kill('SIGINT');
      await ended(tracer);
    });
  },
};

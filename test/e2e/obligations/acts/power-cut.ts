import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

import { until } from '../../../support/hookbell-home.ts';
import type { JournaledDisk } from '../../../support/journaled-disk.ts';
import { mountJournaled, needsJournaled } from '../../../support/journaled-disk.ts';
import type { Site } from '../site.ts';
import type { Act } from './act.ts';
import { someTime } from './act.ts';

const run = promisify(execFile);
const MEGABYTES = 128;
/** A disk that accepts no file is noticed within 30 s. */
const NOTICED_MS = 45_000;

/** The state directory on a disk that loses what was not synced. Afterwards only the hooks start the daemon (A6, A7). */
export const powerCut: Act = {
  name: 'the power is cut after the first start and after a later one, and the disk turns read-only (faults 14, 22)',
  impossible: needsJournaled,
  async run(site) {
    const { state } = site.place.paths;
    const scratch = dirname(site.place.home);
    const kept = join(scratch, 'state');
    await site.stop();
    // What a machine has that was just installed: no script that starts a daemon.
    await rm(state, { recursive: true });
    await mkdir(state, { mode: 0o700 });
    {
      const image = join(scratch, 'disk');
      await using disk = await mountJournaled(state, { image, megabytes: MEGABYTES });
      await site.start();
      await cutUnderLoad(site, disk);
      await cutWithEventsWaiting(site, disk);
      await turnReadOnly(site, disk);
      await site.stop();
      await cp(state, kept, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    }
    await cp(kept, state, { recursive: true, preserveTimestamps: true });
    await rm(kept, { recursive: true });
  },
};

/** What was taken from the spool before the cut is remembered after it; what came in the moment before may be lost. */
async function cutUnderLoad(site: Site, disk: JournaledDisk): Promise<void> {
  const spoolWorks = await site.during(async () => {
    await delay(someTime(site, 100, 800));
    const works = site.ledger.spoolFails();
    await untilTaken(site);
    await cut(site, disk);
    return works;
  });
  await startAgain(site, disk);
  spoolWorks();
}

/** What lies in the spool survives once the kernel has written it back, as it does by itself within some 35 s. */
async function cutWithEventsWaiting(site: Site, disk: JournaledDisk): Promise<void> {
  const pid = await site.pid();
  process.kill(pid, 'SIGSTOP');
  await site.handIn(6);
  await run('sync', ['-f', disk.path]);
  const spoolWorks = site.ledger.spoolFails();
  await site.handIn(6);
  await disk.cutPower();
  await site.kill(pid);
  await startAgain(site, disk);
  spoolWorks();
}

async function turnReadOnly(site: Site, disk: JournaledDisk): Promise<void> {
  const spoolWorks = await site.during(async () => {
    const works = site.ledger.spoolFails();
    await untilTaken(site);
    const pid = await site.pid();
    await disk.failJournal();
    await until(async () => {
      const { warnings } = await site.place.ask('GET /v1/status');
      return warnings.some((warning) => warning.includes('Cannot write to the disk'));
    }, NOTICED_MS);
    await site.kill(pid);
    return works;
  });
  await startAgain(site, disk);
  spoolWorks();
}

/** Cuts the power beside a daemon that works. */
async function cut(site: Site, disk: JournaledDisk): Promise<void> {
  const pid = await site.pid();
  await disk.cutPower();
  await site.kill(pid);
}

/** Until what lay in the spool when this was called is in the database. */
async function untilTaken({ place, patienceMs }: Site): Promise<void> {
  const { spool } = place.paths;
  const waiting = await readdir(spool);
  await until(async () => {
    const left = new Set(await readdir(spool));
    return !waiting.some((name) => left.has(name));
  }, patienceMs);
}

/** As after a boot: the first hooks start the daemon. */
async function startAgain(site: Site, disk: JournaledDisk): Promise<void> {
  await disk.startAgain();
  await site.handIn(3);
  await until(async () => {
    return site.pid().then(
      () => true,
      () => false,
    );
  }, site.patienceMs).catch((error: unknown) => {
    throw new Error('No hook started a daemon after the power cut', { cause: error });
  });
}

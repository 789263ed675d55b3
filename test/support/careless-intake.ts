// The daemon's intake on a store that does not wait for the disk, to show that the probe sees it: `careless-intake.js STATE-DIRECTORY`.
// Takes in what lies in the spool, and ends.
import { join } from 'node:path';

import { silentLog } from '../../src/platform/log.ts';
import { createIntake } from '../../src/intake/intake.ts';
import type { Driver } from '../../src/store/sqlite/driver.ts';
import { loadDriver } from '../../src/store/sqlite/driver.ts';
import { openStore } from '../../src/store/open-store.ts';
import { decideNothing } from './store.ts';

const [, , state = ''] = process.argv;
const open = await loadDriver();
const drivers: Driver[] = [];
const { store } = await openStore({
  path: join(state, 'hookbell.db'),
  now: Date.now,
  openDriver(path) {
    const driver = open(path);
    drivers.push(driver);
    return driver;
  },
});
for (const driver of drivers) driver.exec('PRAGMA synchronous = NORMAL');
const intake = createIntake({
  spool: join(state, 'spool'),
  quarantine: join(state, 'quarantine'),
  store,
  decide: decideNothing,
  now: Date.now,
  log: silentLog,
  onCommitted: () => undefined,
  onTrouble: () => undefined,
});
await intake.drain();
await intake.stop();
await store.close();

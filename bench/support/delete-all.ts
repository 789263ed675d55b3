// Deletes files as they come, without reading them, until COUNT are gone: `delete-all.js DIRECTORY COUNT`.
import { readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 5;

const [, , directory = '', count = ''] = process.argv;
for (let gone = 0; gone < Number(count); await delay(TICK_MS)) {
  for (const name of readdirSync(directory)) {
    unlinkSync(join(directory, name));
    gone += 1;
  }
}

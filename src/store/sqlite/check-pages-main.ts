/**
 * `check-pages PATH`: checks a database that its daemon has open, and prints what SQLite finds: "ok" or the first
 * fault. It takes no lock and reads the main file only, which must not change meanwhile. A separate process, because
 * commits of the daemon would have to wait for it, and because closing a file drops the locks of its process.
 */
import { setPriority } from 'node:os';
import { pathToFileURL } from 'node:url';

import { loadDriver } from './driver.ts';
import { readPragma } from './pragmas.ts';

const IDLE = 19;

const [, , path = ''] = process.argv;
setPriority(IDLE);
const driver = (await loadDriver())(`${pathToFileURL(path).href}?immutable=1&mode=ro`);
let answer: string;
try {
  answer = readPragma(driver, 'quick_check(1)');
} catch (error) {
  // Severe damage is thrown, not reported.
  answer = error instanceof Error ? error.message : String(error);
}
driver.close();
process.stdout.write(answer);

import { homedir } from 'node:os';

import { HookbellError } from '../core/errors.ts';
import { resolvePaths } from '../core/paths.ts';
import { ownVersion } from '../core/program-files.ts';
import { isAlive, readPidFile } from './pid-file.ts';

// Hooks that find no daemon start one each; all but the first must leave before they load anything.
const paths = resolvePaths(process.env, process.platform, homedir());
const foreground = process.argv.includes('--foreground');

const running = readPidFile(paths.pidFile);
if (running !== null && isAlive(running)) {
  if (foreground) process.stderr.write('hookbell: a daemon is already running\n');
  process.exitCode = foreground ? 1 : 0;
} else {
  const { runDaemon } = await import('./run-daemon.ts');
  try {
    process.exitCode = await runDaemon(paths, { foreground, version: ownVersion() });
  } catch (error) {
    const isExpected = error instanceof HookbellError;
    process.stderr.write(`hookbell: ${isExpected ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

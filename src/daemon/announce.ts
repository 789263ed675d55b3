import { rmSync } from 'node:fs';

import type { Log } from '../core/log.ts';
import type { Paths } from '../core/paths.ts';
import { programFile } from '../core/program-files.ts';
import { writeLaunchScript } from './launch-script.ts';
import type { Lifecycle } from './lifecycle.ts';
import { watchOwnFiles } from './own-files.ts';
import { writePidFile } from './pid-file.ts';
import type { Environment } from './surroundings.ts';
import { placesIn } from './surroundings.ts';

/** Lets hooks know that a daemon serves this state directory and how to start one, until it stops. */
export function announce({
  paths,
  env,
  lock,
  log,
  lifecycle,
  requestRestart,
}: {
  readonly paths: Paths;
  readonly env: Environment;
  /** The file of the daemon's lock. */
  readonly lock: string;
  readonly log: Log;
  readonly lifecycle: Lifecycle;
  /** It cannot go on as it is: somebody took a file away that others find it by. */
  readonly requestRestart: (reason: string) => void;
}): void {
  writeLaunchScript({
    node: process.execPath,
    main: programFile('daemon'),
    args: [],
    stateDirectory: paths.state,
    environment: placesIn(env),
  });
  // A hook that finds a process with this working directory knows without reading more that it is the daemon.
  process.chdir(paths.state);
  writePidFile(paths.pidFile);
  lifecycle.onStop('pid file', () => rmSync(paths.pidFile, { force: true }));
  const stopWatching = watchOwnFiles({
    files: [lock, paths.token, paths.socket, paths.launch, paths.pidFile],
    log,
    onLost: (file) => requestRestart(`"${file}" was deleted or replaced`),
  });
  lifecycle.onStop('own files', stopWatching);
}

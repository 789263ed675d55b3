import { identityOf } from '../../hooks/pid-file.ts';
import { replaceFile } from '../platform/replace-file.ts';

// Hooks use the same file and the same rule to decide whether they must start a daemon.
export { isAlive, readPidFile } from '../../hooks/pid-file.ts';

/** Lets hooks recognize this process as the daemon. A line `PID BOOT START`, replaced in one step. */
export function writePidFile(path: string, pid = process.pid): void {
  const { boot, start } = identityOf(pid);
  replaceFile(path, `${pid} ${boot} ${start}\n`, { mode: 0o600 });
}

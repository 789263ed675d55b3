import { identityOf } from '../../hooks/pid-file.ts';
import { replaceFile } from '../platform/replace-file.ts';

// Hooks decide by the same file and the same rule whether they must start a daemon.
export { isAlive, readPidFile } from '../../hooks/pid-file.ts';

/** Tells hooks that this process is the daemon. A line `PID BOOT START`, replaced in one step. */
export function writePidFile(path: string, pid = process.pid): void {
  const { boot, start } = identityOf(pid);
  replaceFile(path, `${pid} ${boot} ${start}\n`, { mode: 0o600 });
}

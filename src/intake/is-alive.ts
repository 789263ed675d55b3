import { errorCode } from '../core/error-code.ts';

/** Whether a process with this number exists; it may be another one than was meant. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to somebody else.
    return errorCode(error) === 'EPERM';
  }
}

import { FailedError } from '../core/errors.ts';

interface Trouble {
  readonly reason: string;
  readonly hint: string;
}

const troubles: Readonly<Record<string, Trouble>> = {
  EACCES: { reason: 'permission denied', hint: 'Look at its owner and rights: they must be yours' },
  EPERM: { reason: 'the system does not allow it', hint: 'Look at its owner and rights' },
  EROFS: { reason: 'the file system is read-only', hint: 'Use a home directory you can write to' },
  ENOSPC: { reason: 'the disk is full', hint: 'Make room, then try again' },
  EDQUOT: { reason: 'the disk quota is used up', hint: 'Make room, then try again' },
  EEXIST: { reason: 'a file of that name is in the way', hint: 'Move it away, then try again' },
  ENOTDIR: { reason: 'a part of the path is a file', hint: 'Move that file away, then try again' },
};

/** A disk or its rights in the way of a command, in words; null for any other error, which is a bug. */
export function systemTrouble(error: unknown): FailedError | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  if ('syscall' in error && error.syscall === 'write' && !('path' in error)) {
    const reason = troubles[String(error.code)]?.reason ?? String(error.code);
    return new FailedError(`Cannot write the output: ${reason}`, { cause: error });
  }
  if (!('path' in error)) return null;
  const trouble = typeof error.code === 'string' ? troubles[error.code] : undefined;
  if (trouble === undefined || typeof error.path !== 'string') return null;
  return new FailedError(`Cannot use "${error.path}": ${trouble.reason}`, {
    hint: trouble.hint,
    cause: error,
  });
}

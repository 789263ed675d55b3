/*
 * The ground: programs, files and their owners, processes, time and networks, without a word of the product. What an
 * agent, an alert or a channel is, and anything else of the program, never enters.
 */

/** What happened, why, and what to do next, for a person. Any other thrown error is a bug. */
export abstract class HookbellError extends Error {
  /** The command or step that fixes it, as a whole sentence. */
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint ?? null;
  }
}

/** Thrown when the user's configuration cannot work. */
export class ConfigError extends HookbellError {
  override readonly name = 'ConfigError';
}

/** Thrown when a command is called with unknown or contradictory words. */
export class UsageError extends HookbellError {
  override readonly name = 'UsageError';
}

/** Thrown when the daemon does not respond on its control socket. */
export class DaemonUnreachableError extends HookbellError {
  override readonly name = 'DaemonUnreachableError';
}

/** Thrown when the object of a command does not exist. */
export class NotFoundError extends HookbellError {
  override readonly name = 'NotFoundError';
}

/** Thrown when a command ran and its result is a failure. */
export class FailedError extends HookbellError {
  override readonly name = 'FailedError';
}

/** The code of a system error, such as "ENOENT", or null for any other error. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Says in words why a file cannot be read; for a rare reason, with the code of the system. */
export function whyUnreadable(error: unknown): string {
  const code = errorCode(error);
  if (code === 'ENOENT') return 'it does not exist';
  if (code === 'EISDIR') return 'it is a directory';
  return code === 'EACCES' ? 'permission denied' : (code ?? String(error));
}

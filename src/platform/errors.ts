/**
 * An error meant for the person at the terminal: what happened, why, and what to do next. Anything else
 * that is thrown is a bug.
 */
export abstract class HookbellError extends Error {
  /** The command or step that mends it, as a whole sentence. */
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.hint = options.hint ?? null;
  }
}

/** Thrown when what the user wrote in the configuration cannot work. */
export class ConfigError extends HookbellError {
  override readonly name = 'ConfigError';
}

/** Thrown when a command is called with words it does not know or that contradict each other. */
export class UsageError extends HookbellError {
  override readonly name = 'UsageError';
}

/** Thrown when the daemon does not answer on its control socket. */
export class DaemonUnreachableError extends HookbellError {
  override readonly name = 'DaemonUnreachableError';
}

/** Thrown when what a command names does not exist. */
export class NotFoundError extends HookbellError {
  override readonly name = 'NotFoundError';
}

/** Thrown when a command did what it was asked and the answer is "it failed". */
export class FailedError extends HookbellError {
  override readonly name = 'FailedError';
}

/** The code of a system error, such as "ENOENT", or null for any other error. */
export function errorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

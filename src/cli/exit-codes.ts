import {
  ConfigError,
  DaemonUnreachableError,
  HookbellError,
  NotFoundError,
  UsageError,
} from '../platform/errors.ts';

/** Exit codes of commands. Only the hook always exits with 0. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  configInvalid: 3,
  daemonUnreachable: 4,
  auth: 5,
  notFound: 6,
  rateLimited: 7,
  partial: 8,
  overBudget: 9,
  /** As `timeout` of the coreutils. */
  timedOut: 124,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure that no other error class covers. */
export class ExitError extends HookbellError {
  override readonly name = 'ExitError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string, options: { hint?: string; cause?: unknown }) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof ExitError) return error.exitCode;
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof ConfigError) return exitCodes.configInvalid;
  if (error instanceof DaemonUnreachableError) return exitCodes.daemonUnreachable;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  return exitCodes.failed;
}

import type { ApiError } from '../../api/index.ts';
import {
  AmbiguousWriteError,
  AuthError,
  ForbiddenError,
  MissingAddressError,
  MissingKeyError,
  NotFoundError,
  RateLimitError,
  UsageError as ApiUsageError,
  mayHaveHappened,
} from '../../api/index.ts';
import { durationText } from '../../core/duration-text.ts';
import type { HookbellError } from '../../core/errors.ts';
import { ConfigError, FailedError, UsageError } from '../../core/errors.ts';
import { displayText } from '../../core/sanitize.ts';
import { ExitError, exitCodes } from '../exit-codes.ts';

/** An error of the client as a command reports it, with its exit code. */
export function commandError(error: ApiError, configPath: string): HookbellError {
  // The service's words are in it: they are foreign, and may be an HTML page.
  const message = `${displayText(error.message)}${attemptsText(error)}`;
  const hint = error.hint ?? lostHint(error);
  const options = { ...(hint !== undefined && { hint }), cause: error };
  if (error instanceof MissingAddressError) {
    return new ConfigError(message, { hint: addressHint(configPath), cause: error });
  }
  if (error instanceof ApiUsageError) return new UsageError(message, options);
  if (error instanceof MissingKeyError) {
    const where = `It belongs into "api.key" of "${configPath}", as { env: NAME }, { file: PATH } or { command: [PROGRAM] }.`;
    return new ExitError(exitCodes.auth, message, {
      hint: `${error.hint ?? ''} ${where}`.trim(),
      cause: error,
    });
  }
  if (error instanceof AuthError || error instanceof ForbiddenError) {
    return new ExitError(exitCodes.auth, message, options);
  }
  if (error instanceof NotFoundError) return new ExitError(exitCodes.notFound, message, options);
  if (error instanceof RateLimitError) {
    return new ExitError(exitCodes.rateLimited, message, { hint: waitHint(error), cause: error });
  }
  if (error instanceof AmbiguousWriteError) {
    return new FailedError(message, { hint: ambiguityHint(error), cause: error });
  }
  return new FailedError(message, options);
}

/** A write whose answer is lost may have taken effect; a read may be repeated at will. */
function lostHint(error: ApiError): string | undefined {
  if (error.method === 'GET' || error.method === 'HEAD' || !mayHaveHappened(error))
    return undefined;
  return 'It may have taken effect all the same: look before you run the command again.';
}

function attemptsText({ attempts }: ApiError): string {
  return attempts > 1 ? ` (after ${attempts} attempts)` : '';
}

/** What to write where. */
export function addressHint(configPath: string): string {
  return `Add to "${configPath}": api: { base_url: ADDRESS, app_url: ADDRESS, key: { env: NAME } }`;
}

function waitHint({ retryAfterMs }: RateLimitError): string {
  return retryAfterMs === null
    ? 'The service does not say how long to wait: try again in a few minutes.'
    : `Try again in ${durationText(retryAfterMs)}.`;
}

function ambiguityHint({ outcome }: AmbiguousWriteError): string {
  return outcome === 'not-delivered'
    ? 'It was not sent a second time. Run the command again if you still want it.'
    : 'The outcome is unknown, so it was not sent a second time: look before you run the command again.';
}

import { ApiConnectionError, ApiError, ResponseShapeError, ServerError } from './errors.ts';

/** Whether a write was accepted though it failed: a 2xx came, and only its body broke or did not fit. */
export function wasAccepted(error: unknown): boolean {
  if (!(error instanceof ApiConnectionError || error instanceof ResponseShapeError)) return false;
  return error.status !== undefined && error.status >= 200 && error.status < 300;
}

/** Errors of calls of which an earlier attempt may have been taken, whatever the last one says. */
const afterLostAttempt = new WeakSet<ApiError>();

/** Notes that the answer to an earlier attempt of the same call was lost. */
export function noteLostAttempt(error: ApiError): void {
  afterLostAttempt.add(error);
}

/** Whether a failed write may have happened all the same. */
export function mayHaveHappened(error: unknown): error is ApiError {
  if (error instanceof ApiError && afterLostAttempt.has(error)) return true;
  if (error instanceof ApiConnectionError) return error.phase !== 'connect';
  return error instanceof ServerError || (error instanceof ApiError && wasAccepted(error));
}

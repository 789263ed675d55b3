import { ApiConnectionError, ApiError, ResponseShapeError, ServerError } from './errors.ts';

/** Whether a write was accepted though it failed: a 2xx came, and only its body broke or did not fit. */
export function wasAccepted(error: unknown): boolean {
  if (!(error instanceof ApiConnectionError || error instanceof ResponseShapeError)) return false;
  return error.status !== undefined && error.status >= 200 && error.status < 300;
}

/** Whether a failed write may have happened all the same. */
export function mayHaveHappened(error: unknown): error is ApiError {
  if (error instanceof ApiConnectionError) return error.phase !== 'connect';
  return error instanceof ServerError || (error instanceof ApiError && wasAccepted(error));
}

import { AmbiguousWriteError, ApiError, RateLimitError } from '../vendor/client/index.ts';
import { durationText } from '../text/duration.ts';
import { FailedError, HookbellError } from '../platform/errors.ts';
import { displayText } from '../text/sanitize.ts';
import { OtherReplyError, UnknownReplyError } from './send-reply.ts';
import type { Posted } from './answer-by-link.ts';

/** The text of a failed reply on the page. */
export function postedOf(error: unknown): Exclude<Posted, { readonly type: 'sent' }> {
  if (error instanceof AmbiguousWriteError && error.outcome === 'unknown') {
    return { type: 'unknown', reason: displayText(error.message) };
  }
  if (error instanceof ApiError) {
    const wait = error instanceof RateLimitError ? waitText(error.retryAfterMs) : '';
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    return { type: 'refused', reason: `${displayText(error.message)}${hint}${wait}` };
  }
  if (!(error instanceof HookbellError)) {
    return {
      type: 'unknown',
      reason: 'Unexpected error; see "hookbell logs"',
    };
  }
  if (error instanceof UnknownReplyError) return { type: 'unknown', reason: error.message };
  if (error instanceof OtherReplyError) return { type: 'answered', reason: error.message };
  // Another process is sending it; or the configuration or a secret cannot be used.
  return { type: error instanceof FailedError ? 'busy' : 'refused', reason: error.message };
}

function waitText(retryAfterMs: number | null): string {
  return retryAfterMs === null
    ? ' Try again in a few minutes.'
    : ` Try again in ${durationText(retryAfterMs)}.`;
}

import {
  AuthError,
  CircuitOpenError,
  ForbiddenError,
  InsecureAddressError,
  MissingAddressError,
  MissingKeyError,
  RateLimitError,
  ServerError,
} from '../api/index.ts';

/** A key that was refused, or is missing, is tried again after so long: it may have been replaced where it is kept. */
const REFUSED_MS = 6 * 3_600_000;
/** Pause after a 429 that names none. */
const RATE_LIMITED_MS = 900_000;

export interface ServiceTrouble {
  /** A sentence for people. */
  readonly reason: string;
  /** How long nobody is to be asked; null: as the asker thinks fit. */
  readonly retryAfterMs: number | null;
  /** True where it will not pass by itself. */
  readonly isLasting: boolean;
}

/** What a source does about an error of the client. */
export function serviceTrouble(error: unknown): ServiceTrouble {
  const reason = error instanceof Error ? error.message : 'It failed without a reason';
  if (error instanceof RateLimitError) {
    return { reason, retryAfterMs: error.retryAfterMs ?? RATE_LIMITED_MS, isLasting: false };
  }
  if (error instanceof ServerError || error instanceof CircuitOpenError) {
    return { reason, retryAfterMs: error.retryAfterMs, isLasting: false };
  }
  const isRefused =
    error instanceof AuthError ||
    error instanceof ForbiddenError ||
    error instanceof MissingKeyError ||
    error instanceof MissingAddressError ||
    error instanceof InsecureAddressError;
  return { reason, retryAfterMs: isRefused ? REFUSED_MS : null, isLasting: isRefused };
}

import type { CredentialKind } from './credentials.ts';
import type { RouteFamily } from './route.ts';

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 60_000;
/** Retry interval of other calls while the trial call is running. */
const TRIAL_MS = 5_000;

/**
 * Keeps background work from hammering a service that is down.
 *
 * - closed: everything passes; five failures in a row open it
 * - open: nothing passes for a minute
 * - half open: after that, one call passes at a time; a success closes it, a failure opens it again
 */
export interface Breaker {
  /** Returns ms until a call may pass, 0 if it may now. Each 0 is followed by one of the methods below. */
  readonly enter: () => number;
  readonly succeeded: () => void;
  readonly failed: () => void;
  /** The call ended without a response, for a local reason. */
  readonly gaveUp: () => void;
}

export function createBreaker(now: () => number): Breaker {
  let failures = 0;
  let openUntil = 0;
  let isTrying = false;
  return {
    enter: () => {
      const waitMs = Math.max(0, openUntil - now());
      if (waitMs > 0 || failures < FAILURES_TO_OPEN) return waitMs;
      if (isTrying) return TRIAL_MS;
      isTrying = true;
      return 0;
    },
    succeeded: () => {
      failures = 0;
      openUntil = 0;
      isTrying = false;
    },
    failed: () => {
      failures += 1;
      isTrying = false;
      if (failures >= FAILURES_TO_OPEN) openUntil = now() + OPEN_MS;
    },
    gaveUp: () => {
      isTrying = false;
    },
  };
}

/** Hint for a missing or refused credential or an insufficient role. */
export function hintFor(
  trouble: 'no-key' | 'refused' | 'forbidden',
  family: RouteFamily,
  appUrl: string | undefined,
  kind: CredentialKind = 'key',
): string {
  if (kind === 'jwt' && trouble !== 'forbidden') {
    const what = trouble === 'refused' ? 'is invalid, expired or revoked' : 'cannot be read';
    return `The access token in api.jwt ${what}. Replace it at the source that api.jwt names, or remove api.jwt to use the API key.`;
  }
  if (kind === 'jwt') {
    return 'The user of the access token in api.jwt lacks the permission, or the feature is off for your organization.';
  }
  const page = `${appUrl ?? '{app_url}'}/settings/api-keys`;
  if (trouble === 'forbidden') {
    return family === 'analytics'
      ? 'Analytics needs the role Manager or Owner: request it, or use the key of a user who has it.'
      : 'The role of this key does not allow it, or the feature is off for your organization.';
  }
  const create = `Create a key at "${page}" and configure it.`;
  return trouble === 'refused'
    ? `The key is invalid, expired or revoked. ${create}`
    : `${create} If you cannot create one, the enterprise setting restrictApiKeyCreationToManagers may prevent it.`;
}

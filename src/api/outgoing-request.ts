import type { CredentialKind } from './credentials.ts';
import type { ApiErrorFacts } from './errors.ts';
import type { SecretPlace } from './hide-secrets.ts';
import type { RetryClass } from './retry-class.ts';
import type { RouteFamily } from './route.ts';

/** A request that passed all checks. */
export interface OutgoingRequest {
  /** Who it is, for errors. */
  readonly facts: Pick<ApiErrorFacts, 'route' | 'method' | 'path'>;
  readonly url: string;
  readonly address: 'base' | 'app';
  readonly family: RouteFamily;
  readonly credential: CredentialKind;
  /** JSON text. */
  readonly body: string | undefined;
  readonly retry: RetryClass;
  readonly secrets: SecretPlace;
  /** Whether an answer that is no JSON is one all the same. */
  readonly accepts: 'json' | 'anything';
}

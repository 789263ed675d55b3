import type { AttemptResult } from './http-attempt.ts';
import type { CredentialKind } from './credentials.ts';
import type { ApiErrorFacts } from './api-errors.ts';
import { hideSecrets, type SecretPlace } from './hide-secrets.ts';
import type { RetryClass, RouteFamily } from './define-routes.ts';

/** Deeper than any response of the service; printing a deeper one could exhaust the stack. */
const MOST = 500;

/** Whether a JSON text is nested so deep that recursion over its value would exhaust the stack. */
export function isNestedTooDeep(json: string): boolean {
  let depth = 0;
  let inText = false;
  for (let at = 0; at < json.length; at += 1) {
    const sign = json[at];
    if (inText) {
      if (sign === '\\') at += 1;
      else if (sign === '"') inText = false;
    } else if (sign === '"') inText = true;
    else if (sign === '[' || sign === '{') {
      depth += 1;
      if (depth > MOST) return true;
    } else if (sign === ']' || sign === '}') depth -= 1;
  }
  return false;
}

/**
 * The JSON of a 2xx response, secrets hidden.
 *
 * - `broken`: empty or truncated JSON: the response is incomplete
 * - `not-json`: something else, like the page of a proxy
 * - `too-deep`: JSON nested too deep to process
 */
export type ReadAnswer =
  | { readonly kind: 'json'; readonly body: unknown }
  | { readonly kind: 'broken'; readonly code: 'EMPTY_BODY' | 'BAD_JSON' }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'too-deep' };

export function readAnswer(
  { text, status }: Extract<AttemptResult, { kind: 'answer' }>,
  { accepts, secrets }: Pick<OutgoingRequest, 'accepts' | 'secrets'>,
): ReadAnswer {
  const trimmed = text.trim();
  if (trimmed === '') {
    if (accepts === 'anything' || status === 204) return { kind: 'json', body: null };
    return { kind: 'broken', code: 'EMPTY_BODY' };
  }
  if (isNestedTooDeep(trimmed)) return { kind: 'too-deep' };
  try {
    const body: unknown = JSON.parse(trimmed);
    return { kind: 'json', body: hideSecrets(body, secrets) };
  } catch {
    // Drop the engine's message, which quotes the text and may contain a secret.
    if (/^[[{"]/.test(trimmed)) return { kind: 'broken', code: 'BAD_JSON' };
    return accepts === 'anything' ? { kind: 'json', body: text } : { kind: 'not-json' };
  }
}

/** A request that passed all checks. */
export interface OutgoingRequest {
  /** Its identity, for errors. */
  readonly facts: Pick<ApiErrorFacts, 'route' | 'method' | 'path'>;
  readonly url: string;
  readonly address: 'base' | 'app';
  readonly family: RouteFamily;
  readonly credential: CredentialKind;
  /** JSON text. */
  readonly body: string | undefined;
  readonly retry: RetryClass;
  readonly secrets: SecretPlace;
  /** Whether to accept a non-JSON response. */
  readonly accepts: 'json' | 'anything';
}

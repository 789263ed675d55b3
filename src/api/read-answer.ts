import type { AttemptResult } from './attempt.ts';
import { hideSecrets } from './hide-secrets.ts';
import { isNestedTooDeep } from './nesting.ts';
import type { OutgoingRequest } from './outgoing-request.ts';

/**
 * The JSON of a 2xx answer, secrets hidden.
 *
 * - `broken`: empty, or JSON that breaks off: what came is not the whole answer
 * - `not-json`: something else altogether, like the page of a proxy
 * - `too-deep`: JSON that nothing can walk over
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
    // The engine's message quotes the text, which may hold a secret: it goes no further.
    if (/^[[{"]/.test(trimmed)) return { kind: 'broken', code: 'BAD_JSON' };
    return accepts === 'anything' ? { kind: 'json', body: text } : { kind: 'not-json' };
  }
}

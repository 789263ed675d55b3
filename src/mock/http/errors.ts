import { STATUS_CODES } from 'node:http';

import type { Refusal } from '../answer.ts';

export type Family = 'analytics' | 'readiness' | 'v0';

export interface ErrorBody {
  /** Absent when there is no body. */
  readonly type?: string;
  readonly text: string;
}

type Form = (refusal: Refusal, requestId: string) => ErrorBody;

/** The document shows no error body for readiness and v0, so a client must bear all of these. */
const FORMS: readonly Form[] = [
  (refusal, requestId) => ({
    type: 'application/problem+json',
    text: JSON.stringify({ type: 'about:blank', ...documented(refusal, requestId) }),
  }),
  ({ detail }) => ({ type: 'application/json', text: JSON.stringify({ message: detail }) }),
  ({ detail }) => ({
    type: 'application/json',
    text: JSON.stringify({ error: { message: detail } }),
  }),
  ({ detail }) => ({ type: 'text/plain; charset=utf-8', text: detail }),
  () => ({ text: '' }),
];

/**
 * Analytics errors have the documented body; the others take turns.
 *
 * @param turn how many errors of the other families there were before
 */
export function errorBody(
  family: Family,
  refusal: Refusal,
  context: { readonly requestId: string; readonly turn: number },
): ErrorBody {
  if (family === 'analytics') {
    const text = JSON.stringify(documented(refusal, context.requestId));
    return { type: 'application/json', text };
  }
  const form = FORMS[context.turn % FORMS.length];
  return form === undefined ? { text: '' } : form(refusal, context.requestId);
}

function documented({ status, detail }: Refusal, requestId: string) {
  return { title: STATUS_CODES[status] ?? 'Error', detail, status, requestId };
}

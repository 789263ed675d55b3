import { type IncomingMessage, STATUS_CODES } from 'node:http';

import type { Family, RouteRefusal, Success } from '../call.ts';

/** Far above what attachments in tests have: the document states no limit. */
const MAX_BODY = 20 * 1024 * 1024;

/** Path and query of a request. */
export function targetOf(request: IncomingMessage): { pathname: string; query: URLSearchParams } {
  // Cut by hand: the URL class would resolve "..", which must stay visible, and fail on some targets.
  const [pathname = '/', ...query] = (request.url ?? '/').split('?');
  return { pathname, query: new URLSearchParams(query.join('?')) };
}

/** @returns null when the body is larger than 20 MB; it is read to its end and discarded */
export async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  return size > MAX_BODY ? null : Buffer.concat(chunks).toString('utf8');
}

/** An HTTP answer before it is sent, so that faults can spoil any part of it. */
export interface Outgoing {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export function outgoing(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer = '',
): Outgoing {
  return { status, headers, body: Buffer.from(body) };
}

export function ofSuccess(answer: Success): Outgoing {
  return outgoing(answer.status, { 'content-type': JSON_TYPE }, JSON.stringify(answer.body));
}

export function ofError(status: number, { type, text }: ErrorBody): Outgoing {
  return outgoing(status, type === undefined ? {} : { 'content-type': type }, text);
}

const JSON_TYPE = 'application/json; charset=utf-8';

export interface ErrorBody {
  /** Absent when there is no body. */
  readonly type?: string;
  readonly text: string;
}

type Form = (refusal: RouteRefusal, requestId: string) => ErrorBody;

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
  refusal: RouteRefusal,
  context: { readonly requestId: string; readonly turn: number },
): ErrorBody {
  if (family === 'analytics') {
    const text = JSON.stringify(documented(refusal, context.requestId));
    return { type: 'application/json', text };
  }
  const form = FORMS[context.turn % FORMS.length];
  return form === undefined ? { text: '' } : form(refusal, context.requestId);
}

function documented({ status, detail }: RouteRefusal, requestId: string) {
  return { title: STATUS_CODES[status] ?? 'Error', detail, status, requestId };
}

import type { Success } from '../answer.ts';
import type { ErrorBody } from './errors.ts';

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

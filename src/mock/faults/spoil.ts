import { gzipSync } from 'node:zlib';

import type { Outgoing } from '../http/outgoing.ts';
import { outgoing } from '../http/outgoing.ts';
import type { Effect, Spoiling } from './effects.ts';
import { isSpoiling } from './groups.ts';

/** A page as proxies send it. */
export const HTML =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

/** Bytes before the compressed data: https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
const GZIP_HEADER = 10;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Spoils bytes or labels of a whole answer. */
export function spoil(answer: Outgoing, effects: readonly Effect[]): Outgoing {
  return effects.filter(isSpoiling).reduce(spoilOnce, answer);
}

function spoilOnce(answer: Outgoing, effect: Spoiling): Outgoing {
  const { status, headers, body } = answer;
  switch (effect.kind) {
    case 'half-json':
      return { ...answer, body: firstHalf(body) };
    case 'empty':
      return { ...answer, body: Buffer.alloc(0) };
    case 'html':
      return outgoing(status, { ...headers, 'content-type': 'text/html' }, HTML);
    case 'bom':
      return { ...answer, body: Buffer.concat([BOM, body]) };
    case 'bad-gzip':
      return {
        status,
        headers: { ...headers, 'content-encoding': 'gzip' },
        body: gzipSync(body).fill(0xff, GZIP_HEADER),
      };
    case 'content-type':
      return { ...answer, headers: { ...headers, 'content-type': effect.type } };
  }
}

export function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import { type RouteRefusal, refuse } from '../call.ts';
import { type Outgoing, outgoing } from '../http/error-body.ts';
import { isJsonObject } from '../../../../src/platform/json.ts';
import type { Random } from '../random.ts';
import {
  type DriftEffect,
  type Effect,
  type Instead,
  retryAfterHeader,
  type When,
} from './effects.ts';
import { isDelivery, isInstead } from './rules.ts';

/** A page as proxies send it. */
const HTML =
  '<!doctype html><html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>';

/** Bytes before the compressed data: https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
const GZIP_HEADER = 10;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Spoils bytes or labels of a whole answer. */
export function spoil(answer: Outgoing, effects: readonly Effect[]): Outgoing {
  return effects.reduce(spoilOnce, answer);
}

function spoilOnce(answer: Outgoing, effect: Effect): Outgoing {
  const { status, headers, body } = answer;
  if (effect.kind === 'half-json') return { ...answer, body: firstHalf(body) };
  if (effect.kind === 'empty') return { ...answer, body: Buffer.alloc(0) };
  if (effect.kind === 'html') {
    return outgoing(status, { ...headers, 'content-type': 'text/html' }, HTML);
  }
  if (effect.kind === 'bom') return { ...answer, body: Buffer.concat([BOM, body]) };
  if (effect.kind === 'bad-gzip') {
    const zipped = gzipSync(body).fill(0xff, GZIP_HEADER);
    return { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: zipped };
  }
  if (effect.kind !== 'content-type') return answer;
  return { ...answer, headers: { ...headers, 'content-type': effect.type } };
}

function firstHalf(body: Buffer): Buffer {
  return body.subarray(0, Math.floor(body.length / 2));
}

/** Sends an answer with the effects applied. Settles when it is sent or the client has left. */
export async function deliver(
  response: ServerResponse,
  { status, headers, body }: Outgoing,
  effects: readonly Effect[],
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  const effect = effects.find(isDelivery);
  if (effect === undefined) {
    response.end(body);
    return;
  }
  switch (effect.kind) {
    case 'drip':
      await drip(response, body, { pauseMs: effect.ms, size: effect.bytes ?? 1 }, signal);
      return;
    case 'truncate':
      await write(response, firstHalf(body));
      reset(response);
      return;
    case 'stall':
      await write(response, firstHalf(body));
      await hang(response);
  }
}

/** Keeps a request without an answer until one of the two ends is closed. */
export async function hang(response: ServerResponse): Promise<void> {
  if (!response.destroyed) await once(response, 'close');
}

/** Breaks the connection with a TCP reset, as a process does that dies. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

async function drip(
  response: ServerResponse,
  body: Buffer,
  { pauseMs, size }: { readonly pauseMs: number; readonly size: number },
  signal: AbortSignal,
): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += size) {
    await write(response, body.subarray(at, at + size));
    await delay(pauseMs, undefined, { signal });
  }
  response.end();
}

/** Settles when the bytes have left the process, so that a reset cannot overtake them. */
async function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    response.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

/** The first effect that takes the place of the answer at one of the two moments. */
export function insteadAt(effects: readonly Effect[], when: When): Instead | undefined {
  return effects
    .filter(isInstead)
    .find((effect) => (effect.kind === 'redirect' ? 'before' : (effect.when ?? 'before')) === when);
}

/** @param ownError makes an error as the service itself would */
export function insteadAnswer(
  effect: Extract<Instead, { kind: 'status' | 'redirect' }>,
  now: number,
  ownError: (refusal: RouteRefusal) => Outgoing,
): Outgoing {
  if (effect.kind === 'redirect') {
    return outgoing(effect.status ?? 302, { location: effect.to });
  }
  const { status, body = 'own', retryAfter, headers } = effect;
  const answer = statusAnswer(status, body, ownError);
  const wait =
    retryAfter === undefined ? {} : retryAfterHeader(retryAfter.form, retryAfter.seconds, now);
  return { ...answer, headers: { ...answer.headers, ...wait, ...headers } };
}

function statusAnswer(
  status: number,
  body: 'own' | 'html' | 'nothing',
  ownError: (refusal: RouteRefusal) => Outgoing,
): Outgoing {
  if (body === 'html') return outgoing(status, { 'content-type': 'text/html' }, HTML);
  if (body === 'nothing') return outgoing(status, {});
  return ownError(refuse(status, `The fault asked for status ${status}`));
}

/** Bends the body of a success; the body given stays as it is. */
export function drift(body: unknown, effects: readonly Effect[], random: Random): unknown {
  const bent: unknown = structuredClone(body);
  for (const effect of effects) {
    if (effect.kind === 'field') bendField(bent, effect);
    if (effect.kind === 'bad-item') listOf(bent)?.splice(effect.index ?? 0, 1, 'not an object');
    if (effect.kind === 'shuffle') shuffleList(bent, random);
  }
  return bent;
}

/** The list a response is about: the first array of its body. */
function listOf(body: unknown): unknown[] | undefined {
  return isJsonObject(body) ? Object.values(body).find((value) => Array.isArray(value)) : undefined;
}

function shuffleList(body: unknown, random: Random): void {
  const list = listOf(body);
  list?.splice(0, Infinity, ...random.shuffle(list));
}

function bendField(body: unknown, { fault, at = '' }: DriftEffect & { kind: 'field' }): void {
  const names = at === '' ? [] : at.split('.');
  const last = fault === 'extra' ? 'surpriseField' : (names.pop() ?? '');
  for (const parent of reach(body, names)) {
    if (fault === 'extra') parent[last] = { isNew: true };
    else if (!Object.hasOwn(parent, last)) continue;
    else if (fault === 'missing') delete parent[last];
    else parent[last] = fault === 'null' ? null : retyped(parent[last]);
  }
}

/** All objects at a path of names. */
function reach(value: unknown, names: readonly string[]): Record<string, unknown>[] {
  const [name, ...rest] = names;
  if (name === undefined) return isJsonObject(value) ? [value] : [];
  if (name === '*') return Array.isArray(value) ? value.flatMap((item) => reach(item, rest)) : [];
  return isJsonObject(value) ? reach(value[name], rest) : [];
}

function retyped(value: unknown): unknown {
  if (typeof value === 'string') return 42;
  if (Array.isArray(value)) return { not: 'a list' };
  return typeof value === 'object' ? 'not an object' : JSON.stringify(value);
}

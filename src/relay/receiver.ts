import type { IncomingMessage, ServerResponse } from 'node:http';

import { sha256 } from '../platform/crypto.ts';
import type { Log } from '../platform/log.ts';
import { readWithin } from '../platform/read-within.ts';
import type { Clock } from '../platform/time.ts';
import type { Admission, SignedClaim } from './authenticator.ts';
import type { BodyRoom } from './body-room.ts';
import {
  busyAnswer,
  type Entrance,
  malformedAnswer,
  type OpenRoute,
  type RelayAnswer,
  type RelayPeer,
  SMALL_BODY,
} from './entrance.ts';
import { signAnswer } from './signature.ts';

export interface ReceiverOptions {
  readonly entrance: Entrance;
  readonly bodies: BodyRoom;
  /** A machine was accepted. */
  readonly onContact: (machine: string) => void;
  readonly now: Clock;
  readonly log: Log;
}

const tooLarge: RelayAnswer = { status: 413, body: { error: 'too-large' } };
const noRoom: RelayAnswer = { status: 429, body: { error: 'rate' }, retryAfterSeconds: 1 };

/** Serves the requests of machines: the entrance decides who may send, its routes handle them. Never rejects. */
export async function receiveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
): Promise<void> {
  const { entrance, log } = options;
  const open = entrance.openRoutes[`${request.method} ${request.url}`];
  const claim = claimOf(request);
  try {
    if (open !== undefined) {
      send(response, await answerOpenly(request, open, entrance), null);
      return;
    }
    const admission = claim === null ? null : await entrance.admit(claim);
    if (claim === null || admission === null || admission.type === 'stranger') {
      log.warn(
        { path: claim?.path ?? null },
        'Refused a relay request that no paired machine signed',
      );
      send(response, { status: 401, body: { error: 'token' } }, null);
      return;
    }
    const { machine } = admission;
    const signer = { key: machine.key, nonce: claim.nonce };
    if (admission.type === 'refused') {
      log.warn({ machine: machine.name, why: admission.error }, 'Refused a relay request');
      send(response, refusalOf(admission, options), signer);
      return;
    }
    options.onContact(machine.name);
    const peer = { machine: machine.name, person: admission.person ?? null };
    send(response, await answerTo(request, response, { claim, peer }, options), signer);
  } catch (error) {
    // The machine has hung up, or sends another one instead.
    if (request.destroyed && !request.complete) return;
    log.error({ err: error }, 'Cannot handle a relay request');
    send(response, busyAnswer, null);
  }
}

function refusalOf(
  { error, now }: Extract<Admission, { readonly type: 'refused' }>,
  options: ReceiverOptions,
): RelayAnswer {
  if (error === 'clock') return { status: 409, body: { error, now: now ?? options.now() } };
  if (error === 'replay') return { status: 409, body: { error } };
  return error === 'busy' ? busyAnswer : noRoom;
}

async function answerTo(
  request: IncomingMessage,
  response: ServerResponse,
  { claim, peer }: { readonly claim: SignedClaim; readonly peer: RelayPeer },
  { entrance, bodies, log }: ReceiverOptions,
): Promise<RelayAnswer> {
  const route = entrance.routes[`${claim.method} ${claim.path}`];
  if (route === undefined) return { status: 404, body: { error: 'unknown' } };
  const length = lengthOf(request, route.mostBytes);
  if (!(length <= route.mostBytes)) return tooLarge;
  const sender = { name: `${peer.machine} ${claim.path}`, owner: peer.person ?? peer.machine };
  const room = bodies.reserve(sender, length, () => request.destroy());
  if (room === null) return noRoom;
  try {
    const bytes = await readWithin(request, route.mostBytes);
    if (bytes === null) return tooLarge;
    room.keep();
    if (sha256(bytes) !== claim.body) {
      log.warn({ machine: peer.machine }, 'Refused a body that does not match the signature');
      return malformedAnswer;
    }
    if (route.mostBytes <= SMALL_BODY) room.release();
    return await route.handle(peer, bytes, hangUpOf(response));
  } finally {
    room.release();
  }
}

/** The sender is unknown, so the body is small. */
async function answerOpenly(
  request: IncomingMessage,
  route: OpenRoute,
  { clientOf = (peer) => peer }: Entrance,
): Promise<RelayAnswer> {
  if (!(lengthOf(request, route.mostBytes) <= route.mostBytes)) return tooLarge;
  const bytes = await readWithin(request, route.mostBytes);
  if (bytes === null) return tooLarge;
  // Repeated ones are joined in their order.
  const forwardedFor = [request.headers['x-forwarded-for'] ?? []].flat().join(',');
  return route.handle(clientOf(request.socket.remoteAddress ?? 'socket', forwardedFor), bytes);
}

function lengthOf({ headers }: IncomingMessage, mostBytes: number): number {
  if (headers['content-length'] !== undefined) return Number(headers['content-length']);
  return headers['transfer-encoding'] === undefined ? 0 : mostBytes;
}

/** Fires when the response can no longer be delivered. */
function hangUpOf(response: ServerResponse): AbortSignal {
  const hangUp = new AbortController();
  response.once('close', () => hangUp.abort());
  if (response.destroyed) hangUp.abort();
  return hangUp.signal;
}

/** Null if a part is missing or has another shape: all of it is signed, so none of it may hold a line feed. */
function claimOf({ method = '', url = '', headers }: IncomingMessage): SignedClaim | null {
  const header = (name: string, shape: RegExp): string | null => {
    const value = headers[`hookbell-${name}`];
    return typeof value === 'string' && shape.test(value) ? value : null;
  };
  const machine = header('machine', /^[\w-]{1,32}$/);
  const time = header('time', /^\d{1,16}$/);
  const nonce = header('nonce', /^[0-9a-f]{32}$/);
  const body = header('body', /^[0-9a-f]{64}$/);
  const signature = header('signature', /^[0-9a-f]{64}$/);
  if (machine === null || time === null || nonce === null) return null;
  if (body === null || signature === null) return null;
  return { method, path: url, machine, time, nonce, body, signature };
}

/** @param signer null without a key: the response then proves nothing */
function send(
  response: ServerResponse,
  { status, body, retryAfterSeconds }: RelayAnswer,
  signer: { readonly key: string; readonly nonce: string } | null,
): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  const answer = { nonce: signer?.nonce ?? '', status, body: sha256(text) };
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(signer === null ? {} : { 'hookbell-signature': signAnswer(signer.key, answer) }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    // A refused request may have a body that will not be read.
    ...(status === 200 ? {} : { connection: 'close' }),
  });
  response.end(text);
}

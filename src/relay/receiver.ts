import type { IncomingMessage, ServerResponse } from 'node:http';

import { sha256 } from '../platform/crypto.ts';
import type { Log } from '../platform/log.ts';
import { readWithin } from '../platform/read-within.ts';
import { StoreError } from '../core/store-aging.ts';
import type { Clock } from '../platform/time.ts';
import type { Authenticator, SignedClaim } from './authenticator.ts';
import type { PairedMachine } from './machines.ts';
import { parseJson } from '../platform/json.ts';
import { signAnswer } from './signature.ts';
import { Batch, EVENTS, HELLO, MAX_BODY, type Verdicts } from './wire.ts';

export interface ReceiverOptions {
  readonly gate: Authenticator;
  /** Read again for each request, so that a revoked machine is refused immediately. */
  readonly machines: () => Promise<readonly PairedMachine[]>;
  readonly take: (
    machine: string,
    events: readonly { readonly id: string }[],
  ) => Promise<readonly Verdicts['results'][number][]>;
  /** A paired machine was accepted. */
  readonly onHeard: (machine: string) => void;
  readonly now: Clock;
  readonly log: Log;
}

interface Answer {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSeconds?: number;
}

/** A store that cannot write may recover after a while. */
const BUSY_SECONDS = 5;

/** Serves the requests of paired machines: the authenticator decides who may send, `take` handles the events. Never rejects. */
export async function receiveRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
): Promise<void> {
  const { gate, log } = options;
  const claim = claimOf(request);
  try {
    const admission = claim === null ? null : gate.admit(claim, await options.machines());
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
      send(response, refusalOf(admission.error, options), signer);
      return;
    }
    options.onHeard(machine.name);
    send(response, await answerTo(request, claim, machine.name, options), signer);
  } catch (error) {
    // The machine has hung up, or sends another one instead.
    if (request.destroyed && !request.complete) return;
    log.error({ err: error }, 'Cannot handle a relay request');
    send(response, { status: 503, body: { error: 'busy' }, retryAfterSeconds: BUSY_SECONDS }, null);
  }
}

function refusalOf(error: 'clock' | 'replay' | 'rate', { now }: ReceiverOptions): Answer {
  if (error === 'clock') return { status: 409, body: { error, now: now() } };
  if (error === 'replay') return { status: 409, body: { error } };
  return { status: 429, body: { error }, retryAfterSeconds: 1 };
}

async function answerTo(
  request: IncomingMessage,
  claim: SignedClaim,
  machine: string,
  options: ReceiverOptions,
): Promise<Answer> {
  const asked = `${claim.method} ${claim.path}`;
  if (asked === `GET ${HELLO}`) return { status: 200, body: { version: 1, machine } };
  if (asked !== `POST ${EVENTS}`) return { status: 404, body: { error: 'unknown' } };
  const length = Number(request.headers['content-length'] ?? MAX_BODY);
  if (!(length <= MAX_BODY)) return { status: 413, body: { error: 'too-large' } };
  const room = options.gate.reserve(machine, length, () => request.destroy());
  if (room === null) return { status: 429, body: { error: 'rate' }, retryAfterSeconds: 1 };
  try {
    const bytes = await readWithin(request, MAX_BODY);
    if (bytes === null) return { status: 413, body: { error: 'too-large' } };
    room.keep();
    return await takeBody(bytes, claim, machine, options);
  } finally {
    room.release();
  }
}

async function takeBody(
  bytes: Uint8Array,
  claim: SignedClaim,
  machine: string,
  { take, log }: ReceiverOptions,
): Promise<Answer> {
  if (sha256(bytes) !== claim.body) {
    log.warn({ machine }, 'Refused relayed events: the body does not match the signature');
    return { status: 400, body: { error: 'malformed' } };
  }
  const batch = Batch.safeParse(parseJson(new TextDecoder().decode(bytes)));
  if (!batch.success) return { status: 400, body: { error: 'malformed' } };
  try {
    const results = await take(machine, batch.data.events);
    return { status: 200, body: { version: 1, results } };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn({ machine, err: error }, 'Cannot accept relayed events yet');
    return { status: 503, body: { error: 'busy' }, retryAfterSeconds: BUSY_SECONDS };
  }
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
  { status, body, retryAfterSeconds }: Answer,
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

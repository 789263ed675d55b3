import { randomBytes } from 'node:crypto';
import { Agent, type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';

import { z } from 'zod';

import type { HookRecord } from '../core/hook-event.ts';
import { networkTrouble } from '../platform/network-trouble.ts';
import type { Outbound } from '../platform/outbound/outbound-port.ts';
import { readWithin } from '../platform/read-within.ts';
import type { RelayAddress } from '../core/relay.ts';
import { parseRetryAfter } from '../platform/retry.ts';
import type { Clock } from '../platform/time.ts';
import { parseJson } from '../platform/json.ts';
import { sameSecret, sha256 } from '../platform/crypto.ts';
import { signAnswer, signRequest } from './signature.ts';
import type { RelayToken } from './token.ts';
import { EXCHANGE, Exchanged, type Report } from './exchange-wire.ts';
import { throughProxy } from './through-proxy.ts';
import { batchOf, EVENTS, Greeting, HELLO, RefusalBody, Verdicts } from './wire.ts';

/** The outcome of a request; a reason ends a sentence. */
export type LinkTrouble =
  /** The remote does not respond, or does not know the token. */
  | { readonly type: 'unreachable'; readonly reason: string }
  /** The token is wrong, or was revoked. */
  | { readonly type: 'refused'; readonly reason: string }
  /** How far the local clock is ahead of the remote one, ms. */
  | { readonly type: 'clock'; readonly aheadMs: number }
  /** The remote cannot accept events now. */
  | { readonly type: 'later'; readonly reason: string; readonly afterMs: number }
  /** The remote does not understand the request. */
  | { readonly type: 'misunderstood'; readonly reason: string };

export type Greeted =
  | { readonly type: 'ok'; readonly machine: string; readonly isHub: boolean }
  | LinkTrouble;
export type Sent = ({ readonly type: 'ok' } & Pick<Verdicts, 'results' | 'policy'>) | LinkTrouble;
export type Exchange = { readonly type: 'ok'; readonly exchanged: Exchanged } | LinkTrouble;
export type HubReply = { readonly type: 'ok'; readonly answer: unknown } | LinkTrouble;

/** The link to the machine that accepts the events. Methods never reject. */
export interface RelayLink {
  /** Checks whether the remote responds, knows the token, and accepts ours. */
  greet(signal: AbortSignal): Promise<Greeted>;
  send(records: readonly HookRecord[], signal: AbortSignal): Promise<Sent>;
  close(): void;
}

/** The link to a hub. Methods never reject. */
export interface HubLink extends Pick<RelayLink, 'greet' | 'close'> {
  /** Reports requests that are held, and gets answers to them. */
  exchange(report: Report, signal: AbortSignal): Promise<Exchange>;
}

/** A link for single requests to a hub. Methods never reject. */
export interface AskingLink extends Pick<RelayLink, 'close'> {
  /** The response is not validated. */
  ask(path: string, body: object, signal: AbortSignal): Promise<HubReply>;
}

export interface RelayLinkOptions {
  readonly address: RelayAddress;
  /** PEM of the one trusted certificate; null: those of `outbound`. */
  readonly certificate: string | null;
  readonly token: RelayToken;
  readonly outbound: Pick<Outbound, 'isProxied' | 'authorities' | 'tunnel'>;
  readonly now: Clock;
  readonly timeoutMs?: number;
  /** Whether the request of an event is held here for an answer through the hub. */
  readonly held?: (eventId: string) => boolean;
  /** Maximum number of concurrent requests. */
  readonly connections?: number;
}

interface Understood<Body> {
  readonly type: 'ok';
  readonly body: Body;
}

const MAX_ANSWER = 1024 * 1024;

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | null;
  /** Whether a listener that knows the token signed it. */
  readonly isProven: boolean;
}

/** Thrown on a new connection, whose listener has not proved its identity yet. */
class UnprovenError extends Error {
  override readonly name = 'UnprovenError';
}

/**
 * Talks to `receive` on the other side. No part of an event is sent over a connection whose listener has not proved
 * that it knows the token: on a socket in a shared directory any process could listen, and confirm.
 */
export function createLink(options: RelayLinkOptions): RelayLink & HubLink & AskingLink {
  const { address, certificate, token, outbound, now, timeoutMs = 60_000 } = options;
  const isSecure = address.type === 'url' && address.secure;
  const keep = { keepAlive: true, maxSockets: options.connections ?? 1 };
  const ca = certificate ?? outbound.authorities();
  const agent = isSecure
    ? new SecureAgent({
        ...keep,
        // Explicit, so that no environment variable decides it.
        rejectUnauthorized: true,
        ...(ca === undefined ? {} : { ca }),
      })
    : new Agent(keep);
  const place =
    address.type === 'socket'
      ? { socketPath: address.path, host: 'localhost' }
      : { host: address.host, port: address.port };
  if (address.type === 'url') throughProxy(agent, address, options);
  const proven = new WeakSet<Socket>();

  function open(method: string, path: string, body: string, nonce: string): ClientRequest {
    const time = String(now());
    const signed = { method, path, machine: token.machine, time, nonce, body: sha256(body) };
    return (isSecure ? requestHttps : requestHttp)({
      ...place,
      agent,
      method,
      path,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(Buffer.byteLength(body)),
        'hookbell-machine': signed.machine,
        'hookbell-time': time,
        'hookbell-nonce': nonce,
        'hookbell-body': signed.body,
        'hookbell-signature': signRequest(token.key, signed),
      },
    });
  }

  async function ask(
    method: string,
    path: string,
    { body, signal }: { readonly body: string; readonly signal: AbortSignal },
  ): Promise<Answered> {
    const nonce = randomBytes(16).toString('hex');
    const request = open(method, path, body, nonce);
    const stop = (): void => void request.destroy(new Error('Stopped'));
    // A separate timer: Node 20 may collect `AbortSignal.timeout` inside of `AbortSignal.any`, and then it never fires.
    const timer = setTimeout(stop, timeoutMs);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      let used: Socket | null = null;
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        request.on('error', reject);
        request.on('response', resolve);
        request.on('socket', (socket: Socket) => {
          used = socket;
          if (path === HELLO || proven.has(socket)) request.end(body);
          else request.destroy(new UnprovenError());
        });
      });
      const text = await readAnswer(answer);
      const status = answer.statusCode ?? 0;
      const signature = answer.headers['hookbell-signature'];
      const expected = signAnswer(token.key, { nonce, status, body: sha256(text) });
      const isProven = typeof signature === 'string' && sameSecret(signature, expected);
      if (isProven && used !== null) proven.add(used);
      return { status, text, retryAfter: answer.headers['retry-after'] ?? null, isProven };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    }
  }

  /** @returns why the response is of no use, or its content */
  function understand<Body>(
    { status, text, isProven, retryAfter }: Answered,
    schema: z.ZodType<Body>,
  ): LinkTrouble | Understood<Body> {
    if (!isProven) {
      return status === 401
        ? { type: 'refused', reason: 'it rejected the token: it is wrong, or was revoked' }
        : {
            type: 'unreachable',
            reason: 'the program there does not know the token of this machine',
          };
    }
    const body = parseJson(text);
    if (status === 200) {
      const read = schema.safeParse(body);
      if (read.success) return { type: 'ok', body: read.data };
      const reason = 'its response cannot be read: hookbell here may be older';
      return { type: 'misunderstood', reason };
    }
    const { error, now: there } = RefusalBody.safeParse(body).data ?? { error: `status ${status}` };
    if (error === 'clock' && there !== undefined) {
      return { type: 'clock', aheadMs: now() - there };
    }
    if (status === 429 || status === 503 || error === 'replay') {
      const afterMs = parseRetryAfter(retryAfter, now()) ?? 5_000;
      return { type: 'later', reason: 'it cannot accept events now', afterMs };
    }
    return {
      type: 'misunderstood',
      reason: `it does not understand the request (${error}): hookbell there may be older`,
    };
  }

  async function hello(signal: AbortSignal) {
    return understand(await ask('GET', HELLO, { body: '', signal }), Greeting);
  }

  /** Sends nothing to a listener that has not proved that it knows the token. */
  async function post<Body>(
    path: string,
    { body, schema, signal }: { body: string; schema: z.ZodType<Body>; signal: AbortSignal },
  ): Promise<LinkTrouble | Understood<Body>> {
    try {
      try {
        return understand(await ask('POST', path, { body, signal }), schema);
      } catch (error) {
        if (!(error instanceof UnprovenError)) throw error;
        const greeted = await hello(signal);
        if (greeted.type !== 'ok') return greeted;
        return understand(await ask('POST', path, { body, signal }), schema);
      }
    } catch (error) {
      return unreachable(error);
    }
  }

  return {
    async greet(signal) {
      const greeted = await hello(signal).catch(unreachable);
      if (greeted.type !== 'ok') return greeted;
      const { machine, hub: isHub = false } = greeted.body;
      return { type: 'ok', machine, isHub };
    },
    async send(records, signal) {
      const body = batchOf(records, options.held);
      const answered = await post(EVENTS, { body, schema: Verdicts, signal });
      if (answered.type !== 'ok') return answered;
      const { version: _, ...sent } = answered.body;
      return { type: 'ok', ...sent };
    },
    async exchange(report, signal) {
      const body = JSON.stringify(report);
      const answered = await post(EXCHANGE, { body, schema: Exchanged, signal });
      return answered.type === 'ok' ? { type: 'ok', exchanged: answered.body } : answered;
    },
    async ask(path, asked, signal) {
      const body = JSON.stringify(asked);
      const answered = await post(path, { body, schema: z.unknown(), signal });
      return answered.type === 'ok' ? { type: 'ok', answer: answered.body } : answered;
    },
    close: () => agent.destroy(),
  };
}

function unreachable(error: unknown): LinkTrouble {
  if (error instanceof Error && error.message === 'Stopped') {
    return { type: 'unreachable', reason: 'it did not respond in time' };
  }
  return { type: 'unreachable', reason: networkTrouble(error).reason };
}

async function readAnswer(answer: IncomingMessage): Promise<string> {
  const bytes = await readWithin(answer, MAX_ANSWER);
  if (bytes === null) throw new Error('The response is too large');
  return new TextDecoder().decode(bytes);
}

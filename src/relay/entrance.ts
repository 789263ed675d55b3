import type { z } from 'zod';

import { StoreError } from '../core/store-aging.ts';
import { parseJson } from '../platform/json.ts';
import type { Admission, SignedClaim } from './authenticator.ts';

/** What decides which requests are answered, and how. */
export interface Entrance {
  /** Decides whether a machine signed a request. */
  admit(claim: SignedClaim): Promise<Admission>;
  readonly routes: RelayRoutes;
  readonly openRoutes: OpenRoutes;
  /** The source address of a request, from the connection and the header X-Forwarded-For; default: the connection's. */
  readonly clientOf?: (peer: string, forwardedFor: string) => string;
}

/** By method and path, such as "POST /v1/relay/events": for requests that a machine has signed. */
export type RelayRoutes = Readonly<Record<string, RelayRoute>>;

/** Like `routes`, for requests that need no signature. */
export type OpenRoutes = Readonly<Record<string, OpenRoute>>;

/** The machine that has signed a request. */
export interface RelayPeer {
  readonly machine: string;
  /** The email address of the person it belongs to; null for a machine that was paired. */
  readonly person: string | null;
}

export interface RelayRoute {
  /** The longest body. One of at most `SMALL_BODY` does not count as kept in memory while it is handled. */
  readonly mostBytes: number;
  /**
   * @param body as it was signed
   * @param signal fires when the machine hangs up, or the daemon stops
   */
  handle(peer: RelayPeer, body: Uint8Array, signal: AbortSignal): Promise<RelayAnswer>;
}

export interface OpenRoute {
  readonly mostBytes: number;
  /** @param address the one that the request comes from */
  handle(address: string, body: Uint8Array): Promise<RelayAnswer>;
}

export interface RelayAnswer {
  readonly status: number;
  readonly body: object;
  readonly retryAfterSeconds?: number;
}

/** Maximum size of a body that many concurrent requests may have. */
export const SMALL_BODY = 64 * 1024;

/** Retry interval while the store cannot write, which may pass. */
const BUSY_SECONDS = 5;

export const busyAnswer: RelayAnswer = {
  status: 503,
  body: { error: 'busy' },
  retryAfterSeconds: BUSY_SECONDS,
};

export const malformedAnswer: RelayAnswer = { status: 400, body: { error: 'malformed' } };

/**
 * Responds to a request with a JSON body: 400 if the body does not fit the schema, 503 while the store cannot serve it.
 *
 * @param onBusy records the error of the store
 */
export async function answerJson<Body>(
  bytes: Uint8Array,
  schema: z.ZodType<Body>,
  {
    handle,
    onBusy,
  }: {
    readonly handle: (body: Body) => Promise<RelayAnswer>;
    readonly onBusy: (error: StoreError) => void;
  },
): Promise<RelayAnswer> {
  const read = schema.safeParse(parseJson(new TextDecoder().decode(bytes)));
  if (!read.success) return malformedAnswer;
  try {
    return await handle(read.data);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    onBusy(error);
    return busyAnswer;
  }
}

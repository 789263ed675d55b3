import type { Send, SendInit } from './http-attempt.ts';
import type { CredentialKind, CredentialSource } from './credentials.ts';
import type { DriftCount } from './parse-response.ts';
import type { Priority, RequestQueueSettings } from './request-queue.ts';
import type { Sleep } from './wait.ts';

/** Options of one call. */
export interface CallOptions {
  /** Of one attempt, body included; 30 s by default. */
  readonly timeoutMs?: number;
  /** Of all attempts including the waits between them; 120 s by default. */
  readonly totalTimeoutMs?: number;
  /** Attempts after the first; 2 by default. */
  readonly maxRetries?: number;
  readonly signal?: AbortSignal;
  /** Additional headers; `authorization` is not accepted. */
  readonly headers?: Readonly<Record<string, string>>;
  /** `foreground` by default. */
  readonly priority?: Priority;
  /** Forces a credential; by default `/api/v0` takes the JWT if there is one, and everything else the key. */
  readonly credential?: CredentialKind;
}

/** Called on every 429. */
export interface RateLimitNote {
  readonly route: string;
  readonly priority: Priority;
  /** Null when the service did not say. */
  readonly retryAfterMs: number | null;
}

export interface ClientOptions {
  /** Address of the analytics and `/api/v0` endpoints; no default. */
  readonly baseUrl?: string;
  /** Sent with every request; "hookbell" by default, and "hookbell/VERSION" from its programs. */
  readonly userAgent?: string;
  /** Address of the readiness reports and of the page that creates keys. */
  readonly appUrl?: string;
  readonly apiKey?: CredentialSource;
  /** Allows sending the key without TLS to http:// addresses of other machines. */
  readonly allowHttp?: boolean;
  /** Goes to `/api/v0` only. */
  readonly jwt?: CredentialSource;
  /** Path of the readiness reports, for deployments where it differs. */
  readonly readinessPath?: string;
  /** Maximum days per analytics request, longer ranges are split; 31 by default. */
  readonly windowDays?: number;
  /** Drift from the interface fails the call instead of being reported. */
  readonly strict?: boolean;
  /** Maximum bytes of text, images and files in one message; 10 MB by default. */
  readonly maxMessageBytes?: number;
  /** Maximum bytes of a response; 64 MB by default. */
  readonly maxAnswerBytes?: number;
  /** Wait before the second check for an added message with a lost response; 2 s by default. */
  readonly graceMs?: number;
  readonly requestQueue?: Partial<RequestQueueSettings>;
  readonly middleware?: readonly Middleware[];
  /** Called once for each difference between a response and the interface. */
  readonly onDrift?: (drift: DriftCount) => void;
  readonly onRateLimit?: (note: RateLimitNote) => void;
  readonly fetch?: Send;
  /** Wall time, Unix ms. */
  readonly now?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

/** Sees every attempt of every call, but not the `authorization` header, which is added after it. */
export type Middleware = (url: string, init: SendInit, next: Send) => Promise<Response>;

/** A sender that passes each request through the middleware in order, and adds the credential at the end. */
export function withMiddleware(
  send: Send,
  middleware: readonly Middleware[],
  authorization: string,
): Send {
  return middleware.reduceRight<Send>(
    (next, layer) => (url, init) => layer(url, init, next),
    (url, init) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', authorization);
      return send(url, { ...init, headers });
    },
  );
}

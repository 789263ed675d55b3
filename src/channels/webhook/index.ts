import type { LookupFunction } from 'node:net';
import type { IncomingMessage } from 'node:http';

import { type ChannelCheck, defineChannel } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import type { Notification } from '../../core/notification.ts';
import { type Failed, failed, type Retry } from '../../core/outcome.ts';
import { type Outbound, requireProxy } from '../../platform/outbound/outbound-port.ts';
import {
  type HttpAnswer,
  networkOutcome,
  statusOutcome,
  withoutAnswer,
} from '../support/json-request.ts';
import { notificationDocument } from '../support/notification-document.ts';
import { PrivateAddressError, publicLookup, systemLookup } from './public-lookup.ts';
import {
  addressDoubts,
  readWebhookTarget,
  signatureOf,
  webhookOptions,
  type WebhookTarget,
} from './target.ts';
import { boundedText } from '../../platform/read-within.ts';

const place = 'the webhook';

/**
 * Sends each notification as a JSON document (`NotificationDocument`) with the headers of Standard Webhooks:
 * `webhook-id` (the same in every attempt), `webhook-timestamp`, and, if a secret is configured, `webhook-signature`.
 *
 * Without `allow_private` names are resolved here, and the connection, or the proxy, uses the address that was checked:
 * a proxy that resolves the name itself would make the check ineffective.
 */
export default defineChannel({
  type: 'webhook',
  summary: 'Sends every notification as JSON to an HTTP address, optionally signed',
  audience: 'program',
  reach: 'far',
  recipient: 'your webhook',
  can: {},
  options: webhookOptions,
  questions: { url: { message: 'Webhook: address (kept in a file only you can read)' } },
  doubts: addressDoubts,
  limits: {
    timeoutMs: 10_000,
    concurrency: 16,
    burst: 1_000,
    refillMs: 1,
    maxAttempts: 12,
    batch: 128,
  },
  create: async (options, dependencies) => {
    const target = await readWebhookTarget(options, dependencies);
    const guard = options.allow_private ? {} : { lookup: publicLookup() };
    const { outbound } = dependencies;
    requireProxy(outbound, target.url.reveal());

    return {
      send: async (notification, { signal }) => {
        const now = dependencies.now();
        const body = JSON.stringify(notificationDocument(notification));
        try {
          const { method } = options;
          const url = new URL(target.url.reveal());
          const headers = headersOf(target, notification, { body, now });
          const request = { url, method, headers, body, signal, outbound, ...guard };
          return statusOutcome(await sendHttpRequest(request), place, now);
        } catch (error) {
          return signal.aborted ? withoutAnswer(error, place, signal) : outcomeOf(error);
        }
      },
      check: async (signal): Promise<ChannelCheck> => {
        try {
          const { hostname, url } = await readWebhookTarget(options, dependencies);
          const isProxied = outbound.isProxied(new URL(url.reveal()));
          // A name that the proxy resolves may have no address here.
          if (!isProxied || !options.allow_private) {
            await resolveName(hostname, guard.lookup ?? systemLookup, signal);
          }
          const way = isProxied ? ' through the proxy' : '';
          return { ok: true, summary: `Sends to ${hostname}${way}` };
        } catch (error) {
          if (error instanceof ConfigError) throw error;
          return { ok: false, summary: outcomeOf(error).reason };
        }
      },
      close: () => Promise.resolve(),
    };
  },
});

function headersOf(
  target: WebhookTarget,
  { deliveryId }: Notification,
  { body, now }: { body: string; now: number },
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1_000));
  const headers: Record<string, string> = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'hookbell',
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
  };
  for (const [name, value] of target.headers) headers[name] = value.reveal();
  if (target.secret !== null) {
    const message = { id: deliveryId, timestamp, body };
    headers['webhook-signature'] = signatureOf(message, target.secret.reveal());
  }
  return headers;
}

function outcomeOf(error: unknown): Retry | Failed {
  if (!(error instanceof PrivateAddressError)) return networkOutcome(error, place);
  return failed(`Cannot deliver to ${place}: its address is not public, and allow_private is off`);
}

function resolveName(hostname: string, lookup: LookupFunction, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('Timeout')), { once: true });
    lookup(hostname, { all: true }, (error) => (error === null ? resolve() : reject(error)));
  });
}

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request in any phase: resolving, connecting, sending, waiting. */
  readonly signal: AbortSignal;
  readonly outbound: Pick<Outbound, 'isProxied' | 'authorities' | 'tunnel'>;
  /** Resolves the name of the URL here, also with a proxy; without it the system or the proxy does. */
  readonly lookup?: LookupFunction;
}

/** At most 64 KB of the response are read and discarded; redirects are not followed. Rejects without a response. */
export async function sendHttpRequest(request: HttpRequest): Promise<HttpAnswer> {
  const answer = await answerTo(request);
  // The head is sufficient: a truncated body changes nothing.
  await boundedText(answer).catch(() => '');
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] ?? null };
}

async function answerTo({
  url,
  body,
  headers,
  outbound,
  lookup,
  ...options
}: HttpRequest): Promise<IncomingMessage> {
  const { request: send } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  const { signal } = options;
  const guarded = lookup === undefined ? {} : { lookup };
  const ca = outbound.authorities();
  const tunnel = outbound.isProxied(url)
    ? await outbound.tunnel(url, { signal, ...guarded })
    : null;
  const way =
    tunnel === null
      ? { agent: false as const, ...guarded, ...(ca !== undefined && { ca }) }
      : // Without an agent the port would show in the host header.
        { createConnection: () => tunnel, defaultPort: url.protocol === 'https:' ? 443 : 80 };
  return new Promise((resolve, reject) => {
    const request = send(url, {
      ...options,
      ...way,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // Explicit, so that no environment variable decides it.
      ...(url.protocol === 'https:' && { rejectUnauthorized: true }),
    });
    request.on('response', resolve);
    // A 101 has no body: reading it ends immediately and closes the connection.
    request.on('upgrade', resolve);
    request.on('error', reject);
    request.end(body);
  });
}

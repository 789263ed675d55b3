import type { LookupFunction } from 'node:net';

import { type ChannelCheck, defineChannel } from '../../core/channel.ts';
import { ConfigError } from '../../platform/errors.ts';
import type { Notification } from '../../core/notification.ts';
import { type Failed, failed, type Retry } from '../../core/outcome.ts';
import { requireProxy } from '../../platform/outbound/outbound-port.ts';
import { abandonedOutcome, networkOutcome, statusOutcome } from '../support/http-outcome.ts';
import { notificationDocument } from '../support/notification-document.ts';
import { sendHttpRequest } from './http-request.ts';
import { PrivateAddressError, publicLookup, systemLookup } from './public-lookup.ts';
import {
  addressDoubts,
  readWebhookTarget,
  signatureOf,
  webhookOptions,
  type WebhookTarget,
} from './target.ts';

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
          const answer = await sendHttpRequest({
            url: new URL(target.url.reveal()),
            method: options.method,
            headers: headersOf(target, notification, { body, now }),
            body,
            signal,
            outbound,
            ...guard,
          });
          return statusOutcome(answer, place, now);
        } catch (error) {
          return signal.aborted ? abandonedOutcome(place) : outcomeOf(error);
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
          return {
            ok: true,
            summary: `Sends to ${hostname}${isProxied ? ' through the proxy' : ''}`,
          };
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

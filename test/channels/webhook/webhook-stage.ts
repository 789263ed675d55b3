import { z } from 'zod';
import webhook from '../../../src/channels/webhook/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import { openHttpEndpoint } from '../../support/http-endpoint.ts';
import type { ReceivedRequest } from '../../support/http-endpoint.ts';
import type { Arrival } from '../conformance.ts';
import { seededSecret } from '../conformance.ts';
import type { HttpStage } from '../http-conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createWebhook(
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  return webhook.create(webhook.options.parse(options), channelDependencies(dependencies));
}

/** A webhook channel and its endpoint on this machine. */
export async function openWebhookStage(options: Record<string, unknown> = {}): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  const channel = await createWebhook({
    url: `${endpoint.url}/in?key=${seededSecret}`,
    secret: seededSecret,
    headers: { 'X-Api-Key': seededSecret },
    allow_http: true,
    allow_private: true,
    ...options,
  });
  let taken = 0;
  return {
    channel,
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken);
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.map(arrivalOf));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      endpoint.answer({ status: 403, body: `wrong key ${seededSecret}` });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

function arrivalOf({ body, rawHeaders, method, path }: ReceivedRequest): Arrival {
  const document: unknown = JSON.parse(body);
  const { title, body: details } = z
    .looseObject({ title: z.string(), body: z.string() })
    .parse(document);
  const headerNames = rawHeaders.filter((_, index) => index % 2 === 0);
  const structure = JSON.stringify(document, (_, value: unknown) =>
    typeof value === 'string' ? '' : value,
  );
  return {
    shown: `${title}\n${details}`,
    shape: [method, path, ...headerNames, structure].join('\n'),
  };
}

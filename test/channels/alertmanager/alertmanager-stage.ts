import { z } from 'zod';

import alertmanager from '../../../src/channels/alertmanager/index.ts';
import type { Channel, ChannelDependencies } from '../../../src/core/channel.ts';
import { channelDependencies } from '../../support/channel-dependencies.ts';
import { openHttpEndpoint, type ReceivedRequest } from '../../support/http-endpoint.ts';
import { type Arrival, seededSecret } from '../conformance.ts';
import type { HttpStage } from '../http-conformance.ts';

/** Creates the channel as the daemon does from what a user wrote. */
export function createAlertmanager(
  options: Record<string, unknown>,
  dependencies: Partial<ChannelDependencies> = {},
): Promise<Channel> {
  const parsed = alertmanager.options.parse(options);
  return alertmanager.create(parsed, channelDependencies(dependencies));
}

/** What the server accepts: https://github.com/prometheus/alertmanager/blob/main/api/v2/openapi.yaml */
const labels = z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string().min(1));
const posted = z
  .array(
    z
      .strictObject({
        labels,
        annotations: z.record(z.string(), z.string()),
        startsAt: z.iso.datetime(),
        endsAt: z.iso.datetime(),
      })
      .refine(({ startsAt, endsAt }) => Date.parse(endsAt) >= Date.parse(startsAt)),
  )
  .length(1);

/** The alert of a request, as the server would take it. */
export function alertOf(request: ReceivedRequest | undefined) {
  const [alert] = posted.parse(JSON.parse(request?.body ?? ''));
  if (alert === undefined) throw new Error('The request has no alert');
  return alert;
}

/** The channel and a fake Alertmanager that accepts every alert, and reports its version. */
export async function openAlertmanagerStage(
  options: Record<string, unknown> = {},
): Promise<HttpStage> {
  const endpoint = await openHttpEndpoint();
  endpoint.answer({ status: 200 });
  const channel = await createAlertmanager({
    url: endpoint.url,
    token: seededSecret,
    ...options,
  });
  let taken = 0;
  return {
    channel: {
      ...channel,
      check(signal) {
        endpoint.answer({ status: 200, body: '{"versionInfo":{"version":"0.25.0"}}' });
        return channel.check(signal);
      },
    },
    endpoint,
    arrivals: () => {
      const fresh = endpoint.requests.slice(taken).filter(({ method }) => method === 'POST');
      taken = endpoint.requests.length;
      return Promise.resolve(fresh.map(arrivalOf));
    },
    hang: () => {
      endpoint.answer('silence');
      return { reached: endpoint.nextRequest() };
    },
    break: () => {
      endpoint.answer({ status: 401, body: `bad token ${seededSecret}` });
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: async () => {
      await channel.close();
      await endpoint[Symbol.asyncDispose]();
    },
  };
}

function arrivalOf(request: ReceivedRequest): Arrival {
  const { labels: named, annotations } = alertOf(request);
  return {
    shown: `${annotations['summary']}\n${annotations['description']}`,
    shape: JSON.stringify([request.path, Object.keys(named), Object.keys(annotations)]),
  };
}
